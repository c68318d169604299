import type { Profile } from "../../shared/plugin/profile.ts";

/** ipvlan: a device in the container that shares the MAC of a host interface (plugins/main/ipvlan/ipvlan.go). */
export const ipvlan: Profile = {
  role: "creator",
  // Without `ipam`, cmdAdd uses the addresses of prevResult. Without `master`, loadConf uses its interface. Both come from a
  // plugin that prepared a host interface and an address for it.
  takesOverHostInterface: true,
  // Without `master` and prevResult, loadConf looks for the default route, on DEL as well. With `linkInContainer` it is in the namespace.
  delNeedsMaster: true,
};
