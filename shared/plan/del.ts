import { CniError } from "../protocol/errors.ts";
import type { Request } from "../protocol/request.ts";
import type { CniResult } from "../protocol/result.ts";
import { type Attachment, containerInterfaceNames, ownAttachment } from "./attachments.ts";
import { type DelegateCall, delegateCall } from "./call.ts";
import { listNetwork } from "./list-network.ts";
import { shownResult } from "./narrow.ts";
import type { Profiles } from "./profile.ts";
import { type AttachmentRecord, type RecordKey, type Records, recordKey, routingFile } from "./record.ts";
import { recordedSubject, type Subject } from "./subject.ts";

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
  configured: Subject,
  profiles: Profiles,
  records: Records,
  input: DelInput,
): readonly Removal[] {
  const key = recordKey(request, configured);
  const unrecorded = (subject: Subject, forget: readonly string[] = []) => ({
    ...delCall(request, subject, input),
    again: sharesNetwork(request, subject),
    forget,
  });
  if (configured.role === "meta") return [unrecorded(configured, metaFiles(configured, key, records))];
  const kept = keptRecords(request, configured, key, records);
  if (kept.length === 0) return unrecordedSubjects(request, configured).map((subject) => unrecorded(subject));
  return kept.map(({ file, record }) => {
    const subject = recordedSubject(configured, record, profiles);
    const { call, notes } = delCall(request, subject, input);
    const isOther = record.ifName !== configured.name.ifName || record.delegate !== configured.delegate;
    const made = `${record.delegate} made ${record.ifName}, which the list does not say: DEL goes by the record`;
    const again = sharesNetwork(request, subject);
    const removal = { call, again, forget: [file], notes: isOther ? [made, ...notes] : notes };
    return record.made === 0 ? withoutForeign(removal, record, records) : removal;
  });
}

/**
 * The DEL of an ADD that made nothing. An interface of that name in the namespace is another attachment's, so that DEL runs
 * without a namespace; where another attachment of the container has the same leases, it does not run at all.
 */
function withoutForeign(removal: Removal, record: AttachmentRecord, records: Records): Removal {
  const { call, notes } = removal;
  if (records.sharesLeases(record)) return { ...removal, call: undefined, notes: [...notes, othersLeases] };
  return { ...removal, call: call && { ...call, environment: { ...call.environment, CNI_NETNS: "" } } };
}

const othersLeases = "ADD made nothing, and the leases are of another attachment of this container: DEL is not run";

/**
 * The records of what a creator's DEL removes: that of its interface; if it has none, those of the interfaces that the same
 * delegate made under names that the list had before; at last that of its interface by another delegate.
 */
function keptRecords(request: Request, { delegate, name, renamed }: Subject, key: RecordKey, records: Records) {
  const isUnusable = request.unusable.includes("ifName");
  const own = isUnusable ? undefined : records.find(key);
  if (own?.record.delegate === delegate) return [own];
  const isRenamed = renamed || isUnusable;
  const earlier = records
    .ofAttachment(key)
    .filter(({ record }) => record.delegate === delegate && !(isRenamed && record.ifName === name.runtimeIfName));
  if (earlier.length > 0) return earlier;
  return own ? [own] : [];
}

/**
 * A renamed interface without a record was made by something else, a script say, whose leases lie under the list's own name:
 * DEL is run under both. The list's own name comes first: the first DEL deletes the interface, and without it the plugins leave
 * its masquerading rules.
 */
function unrecordedSubjects(request: Request, configured: Subject): readonly Subject[] {
  const other = listNetwork(request, configured);
  return other === undefined ? [configured] : [{ ...configured, network: other }, configured];
}

function sharesNetwork({ configuration }: Request, { role, renamed, network }: Subject): boolean {
  return role === "creator" && renamed && network === configuration.name;
}

function metaFiles({ delegate, profile }: Subject, key: RecordKey, records: Records): readonly string[] {
  const moved = profile?.movesRoutes && records.has(routingFile(key)) ? [routingFile(key)] : [];
  return [...records.ofChained(key, delegate), ...moved];
}

/**
 * The delegate's DEL, narrowed to its attachment; if that is missing, a creator gets no prevResult, with which it removes what it
 * can find, and a meta plugin gets it as it came.
 */
function delCall(request: Request, subject: Subject, { prevResult, problem }: DelInput): OneCall {
  const { name } = subject;
  if (problem !== undefined) return lenientCall(request, subject, problem);
  if (prevResult === undefined) return { call: delegateCall(request, subject), notes: [] };
  const attachment = ownAttachment(prevResult, name);
  if (attachment) return narrowedCall(request, subject, prevResult, attachment);
  if (containerInterfaceNames(prevResult).length === 0) return { call: delegateCall(request, subject), notes: [] };
  return lenientCall(request, subject, `interface ${name.ifName} is not in prevResult`);
}

function narrowedCall(request: Request, subject: Subject, prevResult: CniResult, attachment: Attachment) {
  try {
    return { call: delegateCall(request, subject, shownResult(prevResult, attachment, subject.name)), notes: [] };
  } catch (error) {
    if (!(error instanceof CniError)) throw error;
    return lenientCall(request, subject, error.message);
  }
}

function lenientCall(request: Request, subject: Subject, reason: string): OneCall {
  const isMeta = subject.role === "meta";
  const call = delegateCall(request, subject, isMeta ? "as it came" : "none");
  return { call, notes: [`${reason}: the delegate gets ${isMeta ? "it as it came" : "none"}`] };
}
