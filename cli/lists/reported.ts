import { type HostDevice, type Reported, reported } from "../../plugins/reported.ts";
import type { JsonObject } from "../../shared/protocol/json.ts";

/** The devices of a plugin. None for one that the wrappers do not know. */
export function reportedBy(type: string): Reported {
  return (Object.hasOwn(reported, type) && reported[type as keyof typeof reported]) || {};
}

/** Returns the name of a device; undefined if the plugin invents it. */
export function deviceName(device: HostDevice, configuration: JsonObject): string | undefined {
  if ("prefix" in device) return undefined;
  const name = configuration[device.key];
  return typeof name === "string" && name !== "" ? name : device.fallback;
}
