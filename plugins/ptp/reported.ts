import type { Reported } from "../../shared/plugin/reported.ts";

/** ptp lists the host end of the veth pair (cmdAdd in plugins/main/ptp/ptp.go). */
export const ptp: Reported = { hostSide: [{ prefix: "veth" }] };
