import type { Host } from "./host/host.ts";
import { type DelegateCall, delOf } from "./plan/call.ts";
import { askingFor, earlierAddresses } from "./plan/earlier-addresses.ts";
import {
  type AttachmentRecord,
  type Circumstances,
  cachedResultFile,
  namespaceOf,
  parseRecord,
  type RecoveryPlan,
  recordFile,
} from "./plan/record.ts";
import { type Finished, runDelegate } from "./run-delegate.ts";
import { type Session, say } from "./session.ts";

/**
 * Runs a creator's ADD. What an attachment of an earlier boot left is cleaned up first. If ADD fails and a record says that an
 * earlier try of this attachment may stand in its way, the delegate's DEL is run and ADD once more; the second answer counts.
 * A runtime like Nomad runs ADD again without a DEL between.
 */
export function addWithRecovery(session: Session, path: string, call: DelegateCall, plan: RecoveryPlan): Finished {
  const { host } = session;
  const present = circumstances(session, plan.netns);
  if (present === undefined) return runDelegate(session, path, call);
  const found = parseRecord(host.readFile(recordFile(plan.key)));
  const outlived = found !== undefined && found.bootId !== present.bootId;
  if (outlived) cleanUpEarlierBoot(session, path, call, plan);
  const earlier = outlived ? undefined : found;
  // Without a record, what libcni knows as completed was made before there were wrappers, and is not ours to clean.
  const isNew = outlived || (earlier === undefined && host.stat(cachedResultFile(plan.key)) === undefined);
  if (isNew && !writeRecord(session, { ...plan.key, ...present })) return runDelegate(session, path, call);

  const first = outlived ? addAsBefore(session, path, call, plan) : runDelegate(session, path, call);
  const mayHeal = first.exitCode !== 0 && earlier !== undefined && isHealable(host, plan, earlier, present);
  const answer = mayHeal ? healed(session, path, call, plan, first) : first;
  if (answer.exitCode === 0) writeRecord(session, { ...plan.key, ...present });
  else if ((isNew || mayHeal) && saysExists(host, answer)) host.removeFile(recordFile(plan.key));
  return answer;
}

function isHealable(
  host: Host,
  { key, recovery }: RecoveryPlan,
  earlier: Circumstances,
  present: Circumstances,
): boolean {
  const [recorded, cached] = [host.stat(recordFile(key)), host.stat(cachedResultFile(key))];
  // libcni writes its result when the whole list has passed: one that is older is of an attachment before this one.
  const completed = cached !== undefined && cached.modifiedMs >= (recorded?.modifiedMs ?? 0);
  return recovery === "always" || (earlier.namespace === present.namespace && !completed);
}

function cleanUpEarlierBoot(session: Session, path: string, call: DelegateCall, plan: RecoveryPlan): void {
  say(session, "warn", "attached before this boot: running DEL first");
  const del = delOf(call);
  runDelegate(session, path, { ...del, environment: { ...del.environment, CNI_NETNS: plan.earlierNetns } });
}

function healed(session: Session, path: string, call: DelegateCall, plan: RecoveryPlan, first: Finished): Finished {
  const answer = session.host.decodeUtf8(first.stdout);
  say(session, "warn", "ADD failed after an earlier try: running DEL and ADD once more", { answer });
  runDelegate(session, path, delOf(call));
  return addAsBefore(session, path, call, plan);
}

/**
 * Runs ADD for an attachment whose leases were just given up: with the addresses that it had, where it was complete and they can
 * be asked for and are still free; else with whatever it gets.
 */
function addAsBefore(session: Session, path: string, call: DelegateCall, { key, netns }: RecoveryPlan): Finished {
  const { host } = session;
  const addresses = earlierAddresses(host.readFile(cachedResultFile(key)), { ...key, netns });
  const asking = askingFor(call, addresses, call.environment.CNI_ARGS ?? host.env.CNI_ARGS ?? "");
  if (asking === undefined) return runDelegate(session, path, call);
  const answer = runDelegate(session, path, asking);
  if (answer.exitCode === 0 || saysExists(host, answer)) return answer;
  const why = host.decodeUtf8(answer.stdout);
  say(session, "warn", `ADD cannot keep ${addresses.join(", ")}: running DEL and ADD once more`, { answer: why });
  runDelegate(session, path, delOf(call));
  return runDelegate(session, path, call);
}

/** Where and when this ADD happens; undefined where that cannot be told, and then nothing is healed. */
function circumstances(session: Session, netns: string): Circumstances | undefined {
  const { host } = session;
  const bootId = host.readFile("/proc/sys/kernel/random/boot_id")?.trim();
  const namespace = namespaceOf(host.stat(netns));
  if (bootId && namespace) return { bootId, namespace };
  // What is wrong with the namespace is the delegate's to say.
  if (!bootId) say(session, "warn", "no healing: cannot read the boot id");
  return undefined;
}

function writeRecord(session: Session, record: AttachmentRecord): boolean {
  const problem = session.host.writeFile(recordFile(record), `${JSON.stringify(record)}\n`);
  if (problem !== undefined) say(session, "warn", `no healing: cannot write the record: ${problem}`);
  return problem === undefined;
}

// What is in the way was there before this ADD, and is somebody else's.
function saysExists(host: Host, { stdout }: Finished): boolean {
  return /already exists|file exists/i.test(host.decodeUtf8(stdout) ?? "");
}
