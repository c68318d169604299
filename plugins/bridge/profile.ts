import type { Profile } from "../../shared/plan/profile.ts";

/** bridge: a veth pair between the container and a bridge of the host (plugins/main/bridge/bridge.go). */
export const bridge: Profile = {
  role: "creator",
  // The plugin fixes the bridge's MAC when it adds the gateway's address. With `vlan` it adds the address to a VLAN device
  // instead (ensureAddr, ensureVlanInterface). Without `ipam` there is no address.
  sharedDevice: {
    key: "bridge",
    fallback: "cni0",
    fixedMac: { all: ["ipam"], any: ["isGateway", "isDefaultGateway"], none: ["vlan"] },
  },
  // cmdCheck calls ipam.ExecCheck even if there is no `ipam`.
  checkNeedsIpam: true,
};
