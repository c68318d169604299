import type { Profile } from "../../shared/plugin/profile.ts";

/** vlan: a VLAN device of a host interface, in the container (plugins/main/vlan/vlan.go). */
export const vlan: Profile = {
  role: "creator",
  // loadConf looks up the master, on DEL as well. With `linkInContainer` it is in the namespace.
  delNeedsMaster: true,
};
