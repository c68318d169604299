import { goLookup, type JsonObject } from "../protocol/json.ts";
import { interfaceNameProblem } from "../protocol/names.ts";
import type { CniResult, Interface } from "../protocol/result.ts";
import { isContainerInterface } from "../protocol/result.ts";
import type { SharedDevice } from "./profile.ts";

/** NET_ADDR_SET of the kernel's uapi/linux/netdevice.h: the MAC was set explicitly, so it no longer follows the ports. */
const setBySomebody = "3";

/** Returns the name of the host device that a plugin shares among its containers. */
export function sharedDeviceName(device: SharedDevice, configuration: JsonObject): string {
  const name = goLookup(configuration, device.key);
  return typeof name === "string" ? name : device.fallback;
}

/** Returns the file that says how a device got its MAC; undefined if no device can have that name. */
export function macOriginFile(device: string): string | undefined {
  return interfaceNameProblem(device) === undefined ? `/sys/class/net/${device}/addr_assign_type` : undefined;
}

/** Whether a MAC stays: somebody set it. `origin` is the text of `macOriginFile`. */
export function isFixedMac(origin: string | undefined): boolean {
  return origin?.trim() === setBySomebody;
}

/** Whether a result lists a device as a host-side interface. */
export function listsDevice({ interfaces }: CniResult, device: string): boolean {
  return (interfaces ?? []).some((entry) => isHostDevice(entry, device));
}

/** Returns the result without the MAC of a device. The device itself stays in it. */
export function withoutMac(result: CniResult, device: string): CniResult {
  const interfaces = (result.interfaces ?? []).map((entry) => (isHostDevice(entry, device) ? { name: device } : entry));
  return { ...result, interfaces };
}

function isHostDevice(candidate: Interface, name: string): boolean {
  return candidate.name === name && !isContainerInterface(candidate);
}
