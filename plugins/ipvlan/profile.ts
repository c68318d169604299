import type { Profile } from "../../shared/plan/profile.ts";

/** ipvlan: a device that shares the MAC of a host interface, moved into the container (plugins/main/ipvlan/ipvlan.go). */
export const ipvlan: Profile = {
  role: "creator",
  // Without `ipam` cmdAdd gives its interface the addresses of prevResult, without `master` loadConf takes its interface:
  // both are those of a plugin that has made ready a host interface and an address for it.
  takesOverHostInterface: true,
};
