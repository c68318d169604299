import { jsonText } from "../protocol/json-text.ts";
import { parseRecord } from "../record/parse-record.ts";
import { type AttachmentRecord, namespaceOf, type Origin, type RecoveryPlan, recordFile } from "../record/record.ts";
import { bootIdOf } from "./record-search.ts";
import { type Session, say } from "./session.ts";

/** Reads the present boot and namespace; undefined if one cannot be read, and then nothing is recorded. */
export function readOrigin(session: Session, netns: string): Origin | undefined {
  const { host } = session;
  const bootId = bootIdOf(host);
  const namespace = namespaceOf(host.stat(netns));
  // The delegate itself reports a wrong namespace.
  if (bootId === undefined) say(session, "warn", "recovery is off: cannot read the boot id");
  return bootId && namespace ? { bootId, namespace } : undefined;
}

/**
 * Notes in a record of another namespace of this boot that ADD runs in this one. Otherwise a GC that runs meanwhile would free
 * the new leases. The rest stays, because the attachment of the record may be live.
 */
export function noteLaterAdd(session: Session, { key, netns }: RecoveryPlan, { bootId, namespace }: Origin): void {
  const { host } = session;
  const file = recordFile(key);
  const record = parseRecord(file, host.readFile(file));
  if (record === undefined || record.bootId !== bootId || record.namespace === namespace) return;
  const recordedMs = record.later?.recordedMs ?? host.stat(file)?.modifiedMs ?? host.now();
  writeRecord(session, file, { ...record, later: { netns, namespace, recordedMs } });
}

/** Writes a record. A failure does not fail ADD. */
export function writeRecord(session: Session, file: string, content: AttachmentRecord): void {
  const problem = session.host.writeFile(file, `${jsonText(content)}\n`);
  if (problem !== undefined) say(session, "warn", `recovery is off: cannot write the record: ${problem}`);
}
