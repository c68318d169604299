import type { DelegateCall } from "../call/delegate-call.ts";
import type { Entry } from "../journal/journal.ts";
import type { Del } from "../journal/sharing.ts";
import { profileOf } from "../plugin/profile.ts";
import { goLookup } from "../protocol/json.ts";
import { typeProblem } from "../protocol/names.ts";
import { ipamOf } from "../protocol/request.ts";
import { type Finished, runDel } from "./run-delegate.ts";
import type { Undoing } from "./undoing.ts";

/** Whether an entry has only leases left, and the DEL of its plugin would fail, or would not free them. */
export function hasOnlyLeases({ session, netns }: Undoing, { type, ifName }: Entry, { withNamespace }: Del): boolean {
  const profile = profileOf(type, session.profiles);
  if (!profile?.delNeedsNamespace && !profile?.delNeedsMaster) return false;
  return !withNamespace || session.host.linkIndex(netns, ifName) === 0;
}

const nothing: Finished = { ended: "exit", exitCode: 0, stdout: { decodeUtf8: () => "", print() {} } };

/** Runs the DEL of a plugin's IPAM plugin. Without one, nothing is left. */
export function freeLeases(undoing: Undoing, call: DelegateCall): Finished {
  const ipam = goLookup(ipamOf(call.configuration), "type");
  if (typeof ipam !== "string" || typeProblem(ipam) !== undefined) return nothing;
  const environment = { ...call.environment, CNI_NETNS: "" };
  // The entry's path is that of the plugin itself, which would pass.
  return runDel(undoing, { path: "" }, { ...call, environment, delegate: ipam });
}
