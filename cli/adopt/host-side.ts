import { deviceName, reportedBy } from "../lists/reported.ts";
import type { HostSide } from "./complete-result.ts";

/** Returns the host-side devices that a creator reports: a named one, or the other end of the container's veth. */
export const hostSide: HostSide = ({ delegate, configuration }) => {
  return (reportedBy(delegate).hostSide ?? []).map((device) => {
    const name = deviceName(device, configuration);
    return name === undefined ? { peer: true } : { name };
  });
};
