import { goLookup, isJsonObject, type JsonObject } from "../protocol/json.ts";
import { isInterfaceName } from "../protocol/names.ts";
import type { CniResult, Interface } from "../protocol/result.ts";
import { isContainerInterface } from "../protocol/result.ts";
import type { SharedDevice } from "./profile.ts";

/** A shared device. CHECK compares its MAC only if that is fixed. */
export interface DeviceMac {
  readonly device: string;
  /** The keys with which the plugin fixes the MAC. They count only if the kernel does not say. */
  readonly fixedMac: SharedDevice["fixedMac"];
}

/** NET_ADDR_SET of the kernel's uapi/linux/netdevice.h: the MAC was set explicitly, so it no longer follows the ports. */
const setBySomebody = "3";

/** Returns the name of the host device that a plugin shares among its containers. */
export function sharedDeviceName(device: SharedDevice, configuration: JsonObject): string {
  const name = goLookup(configuration, device.key);
  return typeof name === "string" ? name : device.fallback;
}

/** Returns the shared device; undefined if the result does not list it. */
export function deviceMac(result: CniResult, shared: SharedDevice, configuration: JsonObject): DeviceMac | undefined {
  const device = sharedDeviceName(shared, configuration);
  const isListed = (result.interfaces ?? []).some((entry) => isHostDevice(entry, device));
  return isListed ? { device, fixedMac: shared.fixedMac } : undefined;
}

/** Returns the file that says how a device got its MAC; undefined if no device can have that name. */
export function macOriginFile(device: string): string | undefined {
  return isInterfaceName(device) ? `/sys/class/net/${device}/addr_assign_type` : undefined;
}

/**
 * Returns the result without the MAC of a shared device, if that MAC changes with every container. The device itself stays
 * in the result. `origin` is the text of `macOriginFile`, undefined if it cannot be read.
 */
export function withoutFloatingMac(
  result: CniResult,
  { device: name, fixedMac }: DeviceMac,
  origin: string | undefined,
  configuration: JsonObject,
): CniResult {
  const isFixed = origin === undefined ? fixesMac(fixedMac, configuration) : origin.trim() === setBySomebody;
  if (isFixed) return result;
  const interfaces = (result.interfaces ?? []).map((entry) => (isHostDevice(entry, name) ? { name } : entry));
  return { ...result, interfaces };
}

function isHostDevice(candidate: Interface, name: string): boolean {
  return candidate.name === name && !isContainerInterface(candidate);
}

/** Whether a plugin with this configuration fixes the MAC of its shared device. */
export function fixesMac({ all, any, none }: SharedDevice["fixedMac"], configuration: JsonObject): boolean {
  const isSet = (key: string): boolean => isSetInGo(goLookup(configuration, key));
  return all.every(isSet) && any.some(isSet) && !none.some(isSet);
}

// To a Go plugin, the zero value of a field is not set. For `ipam` that is one without a type.
function isSetInGo(value: unknown): boolean {
  return isJsonObject(value) ? Boolean(goLookup(value, "type")) : Boolean(value);
}
