import { containerInterfaceNames } from "../attachment/attachments.ts";
import type { Call } from "../call/call.ts";
import { warn } from "../call/session.ts";
import { type Entry, namesOf } from "../journal/journal.ts";

/**
 * Warns, in the log and on stderr, about interfaces of prevResult without an entry: their plugins are not wrapped. Their CHECK
 * fails because of the other interfaces, and a runtime like Nomad then destroys the container's network.
 */
export function warnOfUnwrapped({ session, prevResult, journal }: Call, { role }: Entry): void {
  if (prevResult === undefined || role === "meta") return;
  const known = journal.entries.flatMap(namesOf);
  const names = new Set(containerInterfaceNames(prevResult).filter((name) => name !== "lo" && !known.includes(name)));
  if (names.size === 0) return;
  const made = names.size === 1 ? `interface ${[...names]} was` : `interfaces ${[...names].join(", ")} were`;
  const advice = 'wrap every plugin that makes an interface ("type": "macvlan-wrapper")';
  const warning = `${made} made by an unwrapped plugin: its CHECK will fail because of the other interfaces; ${advice}`;
  warn(session, warning);
  session.host.writeStderr(`cni-wrappers: warning: ${warning}\n`);
}
