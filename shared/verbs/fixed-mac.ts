import type { Call } from "../call/call.ts";
import type { Done } from "../journal/journal.ts";
import { deviceFile, macIn, sharedDeviceName } from "../plugin/profile.ts";

/** The host device that a call's plugin shares among its containers, such as bridge's; undefined if it shares none. */
export function sharedDeviceOf({ target, request }: Call): string | undefined {
  const shared = target.profile?.sharedDevice;
  return shared && sharedDeviceName(shared, request.configuration);
}

/** NET_ADDR_SET of the kernel's uapi/linux/netdevice.h: the MAC was set explicitly, so it no longer follows the ports. */
const setBySomebody = "3";

/** Whether the kernel says that somebody has set a device's MAC, so that it no longer follows the device's ports. */
export function hasFixedMac({ session }: Call, device: string): boolean {
  const file = deviceFile(device, "addr_assign_type");
  return file !== undefined && session.host.readFile(file)?.trim() === setBySomebody;
}

/**
 * Whether another plugin has set a device's MAC since it was printed: another attachment's result has the one that it has now.
 * Each bridge 1.10.0 sets the MAC that it read when it began, and a slow one had read it before somebody else set it
 * (ensureAddr in plugins/main/bridge/bridge.go).
 */
export function isSetSince({ session, facts }: Call, device: string, printed: string | undefined): boolean {
  const file = deviceFile(device, "address");
  const present = file && session.host.readFile(file)?.trim();
  if (!present || present === printed) return false;
  return facts.allResults().some(({ result }) => macIn(result, device) === present);
}

/**
 * What ADD remembers of that, from before the plugin runs: of containers that are attached to a new bridge at the same time, each
 * plugin may set the MAC, after another one has printed it.
 */
export function fixedMacOf(call: Call): Pick<Done, "fixedMac"> {
  const device = sharedDeviceOf(call);
  return device !== undefined && hasFixedMac(call, device) ? { fixedMac: true } : {};
}
