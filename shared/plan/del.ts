import { type Attachment, containerInterfaceNames, ownAttachment } from "../attachment/attachments.ts";
import { narrowPrevResult } from "../attachment/narrow.ts";
import { CniError } from "../protocol/errors.ts";
import type { Request } from "../protocol/request.ts";
import type { CniResult } from "../protocol/result.ts";
import { type AttachmentRecord, type RecordKey, type Records, recordFile, routingFile } from "../record/record.ts";
import { type DelegateCall, delegateCall } from "./call.ts";
import { chainedResult } from "./chained-result.ts";
import { planHandOver, warning } from "./hand-over.ts";
import { inBothNetworks } from "./leased-network.ts";
import { listedAs } from "./listed.ts";
import type { Plan, Removal } from "./plan.ts";
import type { Profiles } from "./profile.ts";
import { recordKey } from "./record-key.ts";
import { recordedTarget } from "./recorded-target.ts";
import type { Target } from "./target.ts";

/** Plans DEL. A fault of the configuration or of prevResult must not fail it: an attachment must always be removable. */
export function planDel(request: Request, target: Target, profiles: Profiles, records: Records): Plan {
  return planRemovals(delRemovals(request, target, profiles, records, delInput(request, target)));
}

// The wrapper must wait for a DEL if records depend on it or if another DEL follows.
function planRemovals(removals: readonly Removal[]): Plan {
  const [first] = removals;
  const isAwaited = removals.length > 1 || first?.again || first?.otherwise || first?.forget.length !== 0;
  if (first?.call === undefined || isAwaited) return { do: "remove", removals };
  return planHandOver(first.call, { before: first.notes.map(warning) });
}

function delInput(request: Request, target: Target): DelInput {
  try {
    const prevResult = chainedResult(request, target);
    return prevResult ? { prevResult } : {};
  } catch (error) {
    if (!(error instanceof CniError && error.key === "invalidPrevResult")) throw error;
    return { problem: error.message };
  }
}

/** The prevResult of a DEL, or why it cannot be read. */
export interface DelInput {
  readonly prevResult?: CniResult;
  readonly problem?: string;
}

type OneCall = Pick<Removal, "notes"> & { readonly call: DelegateCall };

/** The runs of the delegate's DEL that remove an attachment. */
export function delRemovals(
  request: Request,
  configured: Target,
  profiles: Profiles,
  records: Records,
  input: DelInput,
): readonly Removal[] {
  const key = recordKey(request, configured);
  // An unreadable record is deleted, too.
  const unreadable = records.has(recordFile(key)) && !records.find(key) ? [recordFile(key)] : [];
  const unrecorded = (target: Target, forget: readonly string[] = unreadable) => ({
    ...delCall(request, target, input),
    again: sharesNetwork(request, target),
    forget,
  });
  const files = metaFiles(configured, key, records);
  // Without a profile or a "role", only the files that ADD left tell that the delegate is a meta plugin.
  if (configured.role === "meta" || (configured.role === undefined && files.length > 0))
    return [unrecorded({ ...configured, role: "meta" }, files)];
  const kept = recordsToRemove(request, configured, key, records);
  if (kept.length === 0) return inTurn(inBothNetworks(request, configured, records).map((one) => unrecorded(one)));
  const removals = kept.map(({ file, record }) => {
    const target = recordedTarget(configured, record, profiles);
    const { call, notes } = delCall(request, target, input);
    const isOther = record.ifName !== configured.selector.ifName || record.delegate !== configured.delegate;
    const made = `the record says that ${record.delegate} made ${record.ifName}, the list does not: DEL follows the record`;
    const again = sharesNetwork(request, target);
    const removal = { call, again, forget: [file], notes: isOther ? [made, ...notes] : notes };
    return record.made === 0 ? withoutForeign(removal, record, records) : removal;
  });
  // An unknown delegate may be a meta plugin: its own DEL runs, and the creator's interface stays. If the delegate is
  // missing, its name is probably misspelled.
  const [first] = removals;
  const isUnknown = configured.role === undefined && kept[0]?.record.delegate !== configured.delegate;
  return isUnknown && first ? [{ ...unrecorded(configured), otherwise: first }] : removals;
}

/**
 * Returns the DEL of an ADD that made nothing. An interface of that name in the namespace belongs to another attachment, so
 * DEL runs without a namespace. If another attachment of the container has the same leases, DEL does not run.
 */
function withoutForeign(removal: Removal, record: AttachmentRecord, records: Records): Removal {
  const { call, notes } = removal;
  if (records.sharesLeases(record)) return { ...removal, call: undefined, notes: [...notes, othersLeases] };
  return { ...removal, call: withoutNamespace(call) };
}

const othersLeases = "ADD made nothing, and the leases belong to another attachment of this container: DEL is skipped";

/**
 * Returns the records whose attachments a creator's DEL removes. The first of these that exists counts:
 * - the record of its interface;
 * - the records of interfaces that the same configuration made under earlier names;
 * - the record of its interface by another delegate. It comes last, because that plugin's own DEL removes it better.
 */
function recordsToRemove(request: Request, { delegate, selector }: Target, key: RecordKey, records: Records) {
  const own = request.unusable.includes("ifName") ? undefined : records.find(key);
  if (own?.record.delegate === delegate) return [own];
  const isIts = (record: AttachmentRecord): boolean =>
    record.delegate === delegate && (record.listed === undefined || record.listed === listedAs(request));
  const earlier = records
    .ofAttachment(key)
    .filter(({ record }) => isIts(record) && record.ifName !== selector.runtimeIfName);
  if (earlier.length > 0) return earlier;
  return own ? [own] : [];
}

function sharesNetwork({ configuration }: Request, { role, renamed, network }: Target): boolean {
  return role === "creator" && renamed && network === configuration.name;
}

/**
 * The first removal deletes the interface, so the others only free leases. They run without a namespace, because
 * host-device's DEL fails if the interface is missing.
 */
function inTurn(removals: readonly Removal[]): readonly Removal[] {
  return removals.map((removal, index) =>
    index === 0 ? removal : { ...removal, call: withoutNamespace(removal.call) },
  );
}

function withoutNamespace(call: DelegateCall | undefined): DelegateCall | undefined {
  return call && { ...call, environment: { ...call.environment, CNI_NETNS: "" } };
}

function metaFiles({ delegate, profile }: Target, key: RecordKey, records: Records): readonly string[] {
  const moved = profile?.movesRoutes && records.has(routingFile(key)) ? [routingFile(key)] : [];
  return [...records.ofChained(key, delegate), ...moved];
}

/**
 * Returns the delegate's DEL, narrowed to its attachment. If the attachment is missing, a creator gets no prevResult and
 * removes what it can find. A meta plugin gets prevResult unchanged.
 */
function delCall(request: Request, target: Target, { prevResult, problem }: DelInput): OneCall {
  const { selector } = target;
  if (problem !== undefined) return lenientCall(request, target, problem);
  if (prevResult === undefined) return { call: delegateCall(request, target), notes: [] };
  const attachment = ownAttachment(prevResult, selector);
  if (attachment) return narrowedCall(request, target, prevResult, attachment);
  if (containerInterfaceNames(prevResult).length === 0) return { call: delegateCall(request, target), notes: [] };
  return lenientCall(request, target, `interface ${selector.ifName} is not in prevResult`);
}

function narrowedCall(request: Request, target: Target, prevResult: CniResult, attachment: Attachment) {
  try {
    return {
      call: delegateCall(request, target, narrowPrevResult(prevResult, attachment, target.selector)),
      notes: [],
    };
  } catch (error) {
    if (!(error instanceof CniError)) throw error;
    return lenientCall(request, target, error.message);
  }
}

function lenientCall(request: Request, target: Target, reason: string): OneCall {
  const isMeta = target.role === "meta";
  const call = delegateCall(request, target, isMeta ? "as it came" : "none");
  return { call, notes: [`${reason}: the delegate gets ${isMeta ? "all of it" : "no prevResult"}`] };
}
