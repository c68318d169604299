import type { Host } from "../host/host.ts";
import type { DelegateCall } from "../plan/call.ts";
import { type DeviceMac, macOriginFile, withoutFloatingMac } from "../plan/shared-device.ts";
import type { CniResult } from "../protocol/result.ts";

/** Returns the CHECK without the MAC of a shared device, unless that MAC is fixed. */
export function withoutFloatingMacIn(host: Host, call: DelegateCall, mac: DeviceMac): DelegateCall {
  const file = macOriginFile(mac.device);
  const origin = file === undefined ? undefined : host.readFile(file);
  const { configuration = {} } = call;
  const narrowed = (configuration.prevResult ?? {}) as CniResult;
  const prevResult = withoutFloatingMac(narrowed, mac, origin, configuration);
  return prevResult === narrowed ? call : { ...call, configuration: { ...configuration, prevResult } };
}
