import type { Profile } from "../../shared/plan/profile.ts";

/** bridge: a veth pair into the container, its other end on a bridge of the host (plugins/main/bridge/bridge.go). */
export const bridge: Profile = {
  role: "creator",
  // The plugin fixes the bridge's MAC when it adds the gateway's address. With `vlan` the address goes to a VLAN device instead
  // (ensureAddr, ensureVlanInterface); without `ipam` there is none.
  sharedDevice: {
    key: "bridge",
    fallback: "cni0",
    fixedMac: { all: ["ipam"], any: ["isGateway", "isDefaultGateway"], none: ["vlan"] },
  },
  // cmdCheck calls ipam.ExecCheck without asking whether there is an `ipam`.
  checkNeedsIpam: true,
};
