import type { AddedInterface } from "../attachment/added.ts";
import { type DelegateCall, delOf } from "../plan/call.ts";
import { recordedAddresses } from "../plan/taken-addresses.ts";
import { parseRecord } from "../record/parse-record.ts";
import type { MetaRecoveryPlan } from "../record/record.ts";
import { isSameOrigin } from "../record/recovery.ts";
import { isComplete } from "./recover.ts";
import { repairs } from "./repairs.ts";
import { type Finished, runDelegate } from "./run-delegate.ts";
import { type Session, say } from "./session.ts";
import { readOrigin, writeRecord } from "./write-record.ts";

/** Runs a meta plugin's ADD after undoing an earlier try: plugins like bandwidth fail if it left something. */
export function addMeta(session: Session, path: string, call: DelegateCall, plan: MetaRecoveryPlan): Finished {
  const { host } = session;
  const { file, key, netns, delegate, delegateNetwork } = plan;
  const present = readOrigin(session, netns);
  if (present === undefined) return runDelegate(session, path, call);
  const text = host.readFile(file);
  const record = parseRecord(file, text);
  if (record && isSameOrigin(record, present) && !isComplete(host, key, file)) {
    say(session, "warn", repairs.chained);
    runDelegate(session, path, delOf(call, record.added));
  }
  const { configuration } = call;
  const addresses = record?.bootId === present.bootId ? recordedAddresses(record) : [];
  writeRecord(session, file, { ...key, ...present, netns, delegate, delegateNetwork, addresses, configuration });
  return runDelegate(session, path, call);
}

/** Adds to a meta plugin's record the interfaces that its ADD added: CHECK and DEL need them in prevResult. */
export function recordAdded(session: Session, { file }: MetaRecoveryPlan, added: readonly AddedInterface[]): void {
  const record = parseRecord(file, session.host.readFile(file));
  if (record) writeRecord(session, file, { ...record, added });
}
