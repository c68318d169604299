import type { Profile } from "../../shared/plan/profile.ts";

/** bandwidth: limits traffic at the host's end of a veth pair (plugins/meta/bandwidth/main.go). */
export const bandwidth: Profile = { role: "meta" };
