import type { Profile } from "../../shared/plan/profile.ts";

/** vlan: a VLAN of a host interface, moved into the container (plugins/main/vlan/vlan.go). */
export const vlan: Profile = { role: "creator" };
