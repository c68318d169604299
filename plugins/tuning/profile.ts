import type { Profile } from "../../shared/plan/profile.ts";

/** tuning: sets sysctls, MAC, MTU and flags of the container interface (plugins/meta/tuning/tuning.go). */
export const tuning: Profile = { role: "meta" };
