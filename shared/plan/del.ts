import { type Attachment, containerInterfaceNames, ownAttachment } from "../attachment/attachments.ts";
import { shownResult } from "../attachment/narrow.ts";
import { CniError } from "../protocol/errors.ts";
import type { Request } from "../protocol/request.ts";
import type { CniResult } from "../protocol/result.ts";
import { type AttachmentRecord, type RecordKey, type Records, recordFile, routingFile } from "../record/record.ts";
import { type DelegateCall, delegateCall } from "./call.ts";
import { inBothNetworks } from "./list-network.ts";
import type { Profiles } from "./profile.ts";
import { listedAs, recordKey } from "./record-key.ts";
import { recordedTarget, type Target } from "./target.ts";

/** One run of the delegate's DEL. */
export interface Removal {
  /** Missing where there is nothing to run. */
  readonly call: DelegateCall | undefined;
  /**
   * Whether a DEL that fails is run once more. In one network the creators of a list share a masquerading chain. The first DEL
   * cannot remove it while another's rule leads there, and fails after everything else is gone.
   */
  readonly again: boolean;
  /** The records that go once it has passed. */
  readonly forget: readonly string[];
  /** Faults that DEL did not fail for. */
  readonly notes: readonly string[];
  /** What is done where the delegate of `call` is missing. */
  readonly otherwise?: Removal;
}

/** The prevResult of a DEL, or why it cannot be read. */
export interface DelInput {
  readonly prevResult?: CniResult;
  readonly problem?: string;
}

type OneCall = Pick<Removal, "notes"> & { readonly call: DelegateCall };

/** Plans DEL, which must not fail for what the configuration or prevResult says: whatever is there must be removable. */
export function planDel(
  request: Request,
  configured: Target,
  profiles: Profiles,
  records: Records,
  input: DelInput,
): readonly Removal[] {
  const key = recordKey(request, configured);
  // A record that cannot be read says nothing, but goes as well.
  const unreadable = records.has(recordFile(key)) && !records.find(key) ? [recordFile(key)] : [];
  const unrecorded = (target: Target, forget: readonly string[] = unreadable) => ({
    ...delCall(request, target, input),
    again: sharesNetwork(request, target),
    forget,
  });
  const files = metaFiles(configured, key, records);
  // Of a plugin without a profile or a "role", only what its ADD left tells that it acted on an interface that was there.
  if (configured.role === "meta" || (configured.role === undefined && files.length > 0))
    return [unrecorded({ ...configured, role: "meta" }, files)];
  const kept = keptRecords(request, configured, key, records);
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
  // It may be a meta plugin, which does not remove what the creator before it made; or a name that is written wrong.
  const [first] = removals;
  const isUnknown = configured.role === undefined && kept[0]?.record.delegate !== configured.delegate;
  return isUnknown && first ? [{ ...unrecorded(configured), otherwise: first }] : removals;
}

/**
 * The DEL of an ADD that made nothing. An interface of that name in the namespace is another attachment's, so that DEL runs
 * without a namespace; where another attachment of the container has the same leases, it does not run at all.
 */
function withoutForeign(removal: Removal, record: AttachmentRecord, records: Records): Removal {
  const { call, notes } = removal;
  if (records.sharesLeases(record)) return { ...removal, call: undefined, notes: [...notes, othersLeases] };
  return { ...removal, call: withoutNamespace(call) };
}

const othersLeases = "ADD made nothing, and the leases belong to another attachment of this container: DEL is skipped";

/**
 * The records of what a creator's DEL removes: that of its interface; if it has none, those of the interfaces that the same
 * configuration made under names that the list had before, as another plugin's own DEL does that better; at last that of its interface by another delegate.
 */
function keptRecords(request: Request, { delegate, selector, renamed }: Target, key: RecordKey, records: Records) {
  const isUnusable = request.unusable.includes("ifName");
  const own = isUnusable ? undefined : records.find(key);
  if (own?.record.delegate === delegate) return [own];
  const isRenamed = renamed || isUnusable;
  const isIts = (record: AttachmentRecord): boolean =>
    record.delegate === delegate && (record.listed === undefined || record.listed === listedAs(request));
  const earlier = records
    .ofAttachment(key)
    .filter(({ record }) => isIts(record) && !(isRenamed && record.ifName === selector.runtimeIfName));
  if (earlier.length > 0) return earlier;
  return own ? [own] : [];
}

function sharesNetwork({ configuration }: Request, { role, renamed, network }: Target): boolean {
  return role === "creator" && renamed && network === configuration.name;
}

/** The first removal takes the interface away, so that the others have leases to free only: host-device's DEL fails without it. */
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
 * The delegate's DEL, narrowed to its attachment; if that is missing, a creator gets no prevResult, with which it removes what it
 * can find, and a meta plugin gets it as it came.
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
    return { call: delegateCall(request, target, shownResult(prevResult, attachment, target.selector)), notes: [] };
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
