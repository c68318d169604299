import { reported } from "../../plugins/reported.ts";
import type { Reported } from "../../shared/plan/reported.ts";
import type { HostSide } from "./complete-result.ts";

/** Returns the host-side devices that a creator reports: a named one, or the other end of the container's veth. */
export const hostSide: HostSide = ({ delegate, configuration }) => {
  const all: Readonly<Record<string, Reported>> = reported;
  const devices = (Object.hasOwn(all, delegate) && all[delegate]?.hostSide) || [];
  return devices.map((device) => {
    if ("prefix" in device) return { peer: true };
    const given = configuration[device.key];
    return { name: typeof given === "string" && given !== "" ? given : device.fallback };
  });
};
