import type { Profile } from "../../shared/plugin/profile.ts";

/** macvlan: a device in the container with its own MAC on a host interface (plugins/main/macvlan/macvlan.go). */
export const macvlan: Profile = {
  role: "creator",
  // In 1.3.0, loadConf looks up the master on DEL as well. With `linkInContainer` it is in the namespace.
  delNeedsMaster: true,
};
