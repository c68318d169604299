import type { Profile } from "../../shared/plan/profile.ts";

/** macvlan: a device of its own MAC on a host interface, moved into the container (plugins/main/macvlan/macvlan.go). */
export const macvlan: Profile = { role: "creator" };
