import { bridge, hostLocal, macvlan, wrapped, zone } from "../e2e/support.ts";
import type { Lab } from "../support/lab.ts";
import type { NetworkList } from "../support/runtime.ts";

type Plugin = Record<string, unknown>;

/** Two interface plugins, as written by an operator who has not read about the problem. */
export const plainTwo = zone(macvlan, bridge);

/** One unwrapped creator: the best that a plain chain can do. */
export const plainOne = zone(bridge);

/** The wrapped chain with more keys in each wrapper block. */
export function wrappedTwo(wrapper: Plugin, ...last: Plugin[]): NetworkList {
  const first = { ...wrapped(macvlan), wrapper };
  return zone(first, { ...wrapped(bridge), wrapper: { ifName: "eth1", ...wrapper } }, ...last);
}

/**
 * A bridge without a gateway. It has the MAC of one of its ports, so its MAC changes when a container comes or goes.
 */
export const layer2: Plugin = { type: "bridge", bridge: "wire0", ipam: hostLocal("172.29.0.0/24") };

/**
 * Adds a port to that bridge, as another container does. The bridge takes the smallest MAC of its ports. The host also
 * gets an address on the bridge, from which the test talks to the tasks. The address does not fix the MAC.
 */
export async function joinLayer2(lab: Lab): Promise<void> {
  await lab.ip(undefined, "link", "add", "port0", "type", "veth", "peer", "name", "port1");
  await lab.ip(undefined, "link", "set", "port0", "address", "02:00:00:00:00:01", "master", "wire0", "up");
  await lab.ip(undefined, "address", "add", "172.29.0.1/24", "dev", "wire0");
}

/** Keeps leases in a directory that is empty after a reboot. */
export function leasesIn(dataDir: string, plugin: Plugin): Plugin {
  return { ...plugin, ipam: { ...(plugin.ipam as Plugin), dataDir } };
}

/** Fixed addresses instead of leased ones. */
export function withStatic(plugin: Plugin, address: string): Plugin {
  return { ...plugin, ipam: { type: "static", addresses: [{ address }] } };
}
