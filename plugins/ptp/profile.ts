import type { Profile } from "../../shared/plan/profile.ts";

/** ptp: a veth pair with an address of its own at both ends, routed by the host (plugins/main/ptp/ptp.go). */
export const ptp: Profile = { role: "creator" };
