import type { Profile } from "../../shared/plugin/profile.ts";

/** bandwidth: limits traffic at the host's end of a veth pair (plugins/meta/bandwidth/main.go). */
export const bandwidth: Profile = {
  role: "meta",
  // The ifb device has a hash of the network and the container as its name (getIfbDeviceName).
  names: "network",
};
