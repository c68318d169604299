/** The lists, by name. The first one is every container's, the others give a container a second attachment. */
export const lists = {
  zone: {
    plugins: [
      { type: "macvlan-wrapper", ipam: { type: "host-local", subnet: "10.1.0.0/24" } },
      { type: "bridge-wrapper", wrapper: { ifName: "eth1" }, ipam: { type: "host-local", subnet: "10.2.0.0/24" } },
      { type: "tuning-wrapper" },
      { type: "tuning-wrapper", wrapper: { ifName: "eth1" } },
      { type: "firewall-wrapper", wrapper: { ifName: "eth1" } },
    ],
  },
  side: {
    plugins: [
      { type: "bridge-wrapper", ipam: { type: "host-local", subnet: "10.3.0.0/24" } },
      { type: "macvlan-wrapper", wrapper: { ifName: "net2" }, ipam: { type: "host-local", subnet: "10.4.0.0/24" } },
      { type: "tuning-wrapper", wrapper: { ifName: "net2" } },
    ],
  },
  // Its second interface has the name of another list's.
  cross: {
    plugins: [
      { type: "macvlan-wrapper", ipam: { type: "host-local", subnet: "10.5.0.0/24" } },
      { type: "bridge-wrapper", wrapper: { ifName: "eth1" }, ipam: { type: "host-local", subnet: "10.6.0.0/24" } },
    ],
  },
} as const;

/** An attachment of a container, as the runtime knows it. */
export interface Container {
  readonly id: string;
  readonly netns: string;
  readonly list: keyof typeof lists;
  /** The runtime's interface name. */
  readonly ifName: string;
  /** The interfaces that it makes. */
  readonly links: readonly string[];
  /** The interfaces of its leases, by network. */
  readonly leases: Readonly<Record<string, string>>;
}

/** The attachment of a container to the list of all containers. */
export function firstOf(id: string): Container {
  const leases = { zone: "eth0", "zone-eth1": "eth1" };
  return { id, netns: `/run/netns/${id}`, list: "zone", ifName: "eth0", links: ["eth0", "eth1"], leases };
}

/** The second attachment of a container. In two of the lists, the first attachment has eth1 already. */
export function secondOf(id: string, list: Container["list"]): Container {
  const links = { zone: ["net1"], side: ["net1", "net2"], cross: ["net1"] }[list];
  const leases = {
    zone: { zone: "net1" },
    side: { side: "net1", "side-net2": "net2" },
    cross: { cross: "net1", "cross-eth1": "eth1" },
  }[list];
  return { id, netns: `/run/netns/${id}`, list, ifName: "net1", links, leases };
}
