import type { DelegateCall } from "../call/delegate-call.ts";
import { ipamOf } from "../journal/host-files.ts";
import type { Entry } from "../journal/journal.ts";
import type { Del } from "../journal/sharing.ts";
import { profileOf } from "../plugin/profile.ts";
import { goLookup } from "../protocol/json.ts";
import { typeProblem } from "../protocol/names.ts";
import { type Finished, runDel } from "./run-delegate.ts";
import type { Undoing } from "./undoing.ts";

/** Whether an entry has only leases left, and the DEL of its plugin would fail, or would not free them. */
export function hasOnlyLeases({ session, netns }: Undoing, { type, ifName }: Entry, { withNamespace }: Del): boolean {
  if (!profileOf(type, session.profiles)?.delNeedsNamespace) return false;
  return !withNamespace || session.host.linkIndex(netns, ifName) === 0;
}

/** Runs the DEL of a plugin's IPAM plugin. Without one, the plugin itself is run, and does nothing. */
export function freeLeases(undoing: Undoing, entry: Entry, call: DelegateCall): Finished {
  const ipam = goLookup(ipamOf(call.configuration), "type");
  const alone = { ...call, environment: { ...call.environment, CNI_NETNS: "" } };
  if (typeof ipam !== "string" || typeProblem(ipam) !== undefined) return runDel(undoing, entry, alone);
  // The entry's path is that of the plugin itself, which would pass.
  return runDel(undoing, { path: "" }, { ...alone, delegate: ipam });
}
