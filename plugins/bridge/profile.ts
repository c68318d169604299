import type { Profile } from "../../shared/plan/profile.ts";

/** bridge: a veth pair into the container, its other end on a bridge of the host (plugins/main/bridge/bridge.go). */
export const bridge: Profile = {
  role: "creator",
  // With a gateway address the plugin sets the bridge's MAC to itself, and so fixes it; with `vlan` the address goes to a
  // VLAN device instead (ensureAddr, ensureVlanInterface), without `ipam` nowhere.
  sharedDevice: {
    key: "bridge",
    fallback: "cni0",
    fixedMac: { all: ["ipam"], any: ["isGateway", "isDefaultGateway"], none: ["vlan"] },
  },
  // cmdCheck calls ipam.ExecCheck without asking whether there is an `ipam`.
  checkNeedsIpam: true,
};
