import type { Profile } from "../../shared/plan/profile.ts";

/** ptp: a veth pair that the host routes, with an address at each end (plugins/main/ptp/ptp.go). */
export const ptp: Profile = { role: "creator" };
