import { goLookup, isJsonObject, type JsonObject } from "../protocol/json.ts";
import type { CniResult, Interface } from "../protocol/result.ts";
import { isContainerInterface } from "../protocol/result.ts";
import type { SharedDevice } from "./profile.ts";

/** The name of the host device that a plugin shares among its containers. */
export function sharedDeviceName(device: SharedDevice, configuration: JsonObject): string {
  const name = goLookup(configuration, device.key);
  return typeof name === "string" ? name : device.fallback;
}

/** The result without the MAC of a shared device that changes with every container; that the device exists stays in it. */
export function withoutFloatingMac(result: CniResult, device: SharedDevice, configuration: JsonObject): CniResult {
  if (hasFixedMac(device, configuration)) return result;
  const name = sharedDeviceName(device, configuration);
  const isDevice = (candidate: Interface): boolean => candidate.name === name && !isContainerInterface(candidate);
  return { ...result, interfaces: (result.interfaces ?? []).map((entry) => (isDevice(entry) ? { name } : entry)) };
}

function hasFixedMac({ fixedMac: { all, any, none } }: SharedDevice, configuration: JsonObject): boolean {
  const isSet = (key: string): boolean => isSetInGo(goLookup(configuration, key));
  return all.every(isSet) && any.some(isSet) && !none.some(isSet);
}

// Set as a Go plugin sees it: not the zero value of its field; for `ipam` that is one without a type.
function isSetInGo(value: unknown): boolean {
  return isJsonObject(value) ? Boolean(goLookup(value, "type")) : Boolean(value);
}
