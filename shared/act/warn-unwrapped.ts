import type { AddPlan } from "../plan/plan.ts";
import { recordFile } from "../record/record.ts";
import { type Session, say } from "./session.ts";

/**
 * Warns, in the log and on stderr, about interfaces without a record: their plugins are not wrapped. Their CHECK fails
 * because of the other interfaces, and a runtime like Nomad then destroys the container's network. If this creator has no
 * record itself, the host keeps none, and there is no warning.
 */
export function warnOfUnwrapped(session: Session, { recovery, expectedRecords: expected = [] }: AddPlan): void {
  const { host } = session;
  if (recovery === undefined || host.stat(recordFile(recovery.key)) === undefined) return;
  const names = expected.filter(({ file }) => host.stat(file) === undefined).map(({ ifName }) => ifName);
  if (names.length === 0) return;
  const made = names.length === 1 ? `interface ${names} was` : `interfaces ${names.join(", ")} were`;
  const advice = 'wrap every plugin that makes an interface ("type": "macvlan-wrapper")';
  const warning = `${made} made by an unwrapped plugin: its CHECK will fail because of the other interfaces; ${advice}`;
  say(session, "warn", warning);
  host.writeStderr(`cni-wrappers: warning: ${warning}\n`);
}
