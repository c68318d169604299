import type { Profile } from "../../shared/plugin/profile.ts";

/** macvlan: a device in the container with its own MAC on a host interface (plugins/main/macvlan/macvlan.go). */
export const macvlan: Profile = { role: "creator" };
