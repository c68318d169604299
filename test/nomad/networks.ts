import { bridge, hostLocal, macvlan, wrapped, zone } from "../e2e/support.ts";
import type { Lab } from "../support/lab.ts";
import type { NetworkList } from "../support/runtime.ts";

type Plugin = Record<string, unknown>;

/** Two creators as an operator writes them who has never read of the problem. */
export const plainTwo = zone("1.0.0", macvlan, bridge);

/** One creator, unwrapped: what a plain chain can do at its best. */
export const plainOne = zone("1.0.0", bridge);

/** The wrapped chain with something more in each wrapper block. */
export function wrappedTwo(wrapper: Plugin, ...last: Plugin[]): NetworkList {
  const first = { ...wrapped(macvlan), wrapper };
  return zone("1.0.0", first, { ...wrapped(bridge), wrapper: { ifName: "eth1", ...wrapper } }, ...last);
}

/** A bridge without a gateway: its MAC is that of one of its ports, and changes when a container comes or goes. */
export const layer2: Plugin = { type: "bridge", bridge: "wire0", ipam: hostLocal("172.29.0.0/24") };

/**
 * Another port joins that bridge, as another container's does: the bridge takes the smallest MAC of all. And the host gets an
 * address on it, from which the test talks to the tasks; it does not hold the MAC.
 */
export async function joinLayer2(lab: Lab): Promise<void> {
  await lab.ip(undefined, "link", "add", "port0", "type", "veth", "peer", "name", "port1");
  await lab.ip(undefined, "link", "set", "port0", "address", "02:00:00:00:00:01", "master", "wire0", "up");
  await lab.ip(undefined, "address", "add", "172.29.0.1/24", "dev", "wire0");
}

/** Keeps leases where a reboot empties them. */
export function leasesIn(dataDir: string, plugin: Plugin): Plugin {
  return { ...plugin, ipam: { ...(plugin.ipam as Plugin), dataDir } };
}

/** Fixed addresses in place of leased ones. */
export function withStatic(plugin: Plugin, address: string): Plugin {
  return { ...plugin, ipam: { type: "static", addresses: [{ address }] } };
}
