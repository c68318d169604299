import { containerInterfaceNames } from "../attachment/attachments.ts";
import type { Request } from "../protocol/request.ts";
import { type KeptRecord, type RecordKey, type Records, recordFile, routingFile } from "../record/record.ts";
import { type DelInput, delCall, delInput } from "./del-call.ts";
import { withoutForeign } from "./foreign.ts";
import { sharesNetwork } from "./list-network.ts";
import { listedAs } from "./listed.ts";
import type { Plan, Removal } from "./plan.ts";
import { planHandOver, warning } from "./plan-hand-over.ts";
import type { Profiles } from "./profile.ts";
import { recordKey } from "./record-key.ts";
import { recordedTarget } from "./recorded-target.ts";
import type { Target } from "./target.ts";
import { metaRemoval, unrecordedRemoval, unrecordedRemovals } from "./unrecorded.ts";

/** Plans DEL. A fault of the configuration or of prevResult must not fail it: an attachment must always be removable. */
export function planDel(request: Request, target: Target, profiles: Profiles, records: Records): Plan {
  const [first, ...others] = delRemovals(request, target, profiles, records, delInput(request, target));
  const unfinished = records.unfinished(recordKey(request, target));
  return planRemovals(first ? [{ ...first, forget: [...first.forget, ...unfinished] }, ...others] : []);
}

// The wrapper must wait for a DEL if records depend on it or if another DEL follows.
function planRemovals(removals: readonly Removal[]): Plan {
  const [first] = removals;
  const isAwaited = removals.length > 1 || first?.again || first?.otherwise || first?.forget.length !== 0;
  if (first?.call === undefined || isAwaited) return { do: "remove", removals };
  return planHandOver(first.call, { before: first.notes.map(warning) });
}

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
  const files = metaFiles(configured, key, records);
  // Without a profile or a "role", only the files that ADD left tell that the delegate is a meta plugin.
  if (configured.role === "meta" || files.length > 0) return [metaRemoval(request, configured, input, files, records)];
  const kept = recordsToRemove(request, configured, key, records, input);
  if (kept.length === 0) return unrecordedRemovals(request, configured, input, unreadable, records);
  const removals = kept.map(({ file, record }) => {
    const target = recordedTarget(configured, record, profiles);
    const { call, notes } = delCall(request, target, input);
    const isOther = record.ifName !== configured.selector.ifName || record.delegate !== configured.delegate;
    const made = `the record says that ${record.delegate} made ${record.ifName}, the list does not: DEL follows the record`;
    const again = sharesNetwork(request, target);
    const removal = { call, again, forget: [file], notes: isOther ? [made, ...notes] : notes };
    const isForeign = record.made === 0 || records.belongsToAnother(record, request.variables.netns, record.made);
    return isForeign ? withoutForeign(removal, record, records) : removal;
  });
  // An unknown delegate may be a meta plugin: its own DEL runs, and the creator's interface stays. If the delegate is
  // missing, its name is probably misspelled.
  const [first] = removals;
  const isUnknown = configured.role === undefined && kept[0]?.record.delegate !== configured.delegate;
  return isUnknown && first
    ? [{ ...unrecordedRemoval(request, configured, input, unreadable), otherwise: first }]
    : removals;
}

/**
 * Returns the records whose attachments a creator's DEL removes. The first of these that exists counts:
 * - the record of its interface;
 * - the records of interfaces that the same configuration made under earlier names;
 * - the record of its interface by another delegate. It comes last, because that plugin's own DEL removes it better.
 */
function recordsToRemove(
  request: Request,
  target: Target,
  key: RecordKey,
  records: Records,
  { prevResult }: DelInput,
): readonly KeptRecord[] {
  const own = request.unusable.includes("ifName") ? undefined : records.find(key);
  if (own?.record.delegate === target.delegate) {
    if (!prevResult) return [own];
    // The result of a completed ADD lists the interfaces that other plugins of the same configuration made.
    const listed = [own.record.ifName, ...containerInterfaceNames(prevResult)];
    const earlier = earlierRecords(request, target, key, records);
    return [own, ...earlier.filter(({ record }) => !listed.includes(record.ifName))];
  }
  const earlier = earlierRecords(request, target, key, records);
  return earlier.length > 0 || !own ? earlier : [own];
}

/** The records of other interfaces that the same configuration made, but not of the runtime's own. */
function earlierRecords(request: Request, { delegate, selector }: Target, key: RecordKey, records: Records) {
  return records
    .ofAttachment(key)
    .filter(
      ({ record }) =>
        record.delegate === delegate &&
        (record.listed === undefined || record.listed === listedAs(request)) &&
        record.ifName !== selector.runtimeIfName,
    );
}

function metaFiles({ delegate, profile, role }: Target, key: RecordKey, records: Records): readonly string[] {
  if (role === "creator") return [];
  const moved = profile?.movesRoutes && records.has(routingFile(key)) ? [routingFile(key)] : [];
  return [...records.ofMeta(key, delegate), ...moved];
}
