import type { Profile } from "../../shared/plugin/profile.ts";

/** portmap: forwards ports of the host to the container (plugins/meta/portmap/main.go). */
export const portmap: Profile = {
  role: "meta",
  // The nftables backend deletes by container (portmap_nftables.go); the iptables chain is named by network and container.
  names: "container",
  usualBackend: { program: "iptables", names: "network" },
  // ADD replaces the rules of its own chain.
  repeatable: true,
};
