import type { Call } from "../call/call.ts";
import type { Done } from "../journal/journal.ts";
import { isFixedMac, macOriginFile, sharedDeviceName } from "../plugin/profile.ts";

/** The host device that a call's plugin shares among its containers, such as bridge's; undefined if it shares none. */
export function sharedDeviceOf({ target, request }: Call): string | undefined {
  const shared = target.profile?.sharedDevice;
  return shared && sharedDeviceName(shared, request.configuration);
}

/** Whether the kernel says that somebody has set a device's MAC, so that it no longer follows the device's ports. */
export function hasFixedMac({ session }: Call, device: string): boolean {
  const file = macOriginFile(device);
  return file !== undefined && isFixedMac(session.host.readFile(file));
}

/**
 * What ADD remembers of that, from before the plugin runs: of containers that are attached to a new bridge at the same time, each
 * plugin may set the MAC, after another one has printed it.
 */
export function fixedMacOf(call: Call): Pick<Done, "fixedMac"> {
  const device = sharedDeviceOf(call);
  return device !== undefined && hasFixedMac(call, device) ? { fixedMac: true } : {};
}
