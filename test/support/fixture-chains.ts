import type { needs } from "./needs.ts";

/** A script for a first plugin that cannot run here: its shell commands, and its answer to ADD. */
export interface StandIn {
  readonly commands?: string;
  readonly answer: object;
}

/** A chain whose calls become fixtures. */
export interface Chain {
  readonly list: readonly object[];
  readonly versions: readonly string[];
  /** The address that the runtime asks for. */
  readonly address?: string;
  /** The plugins that made the attachment, if an operator wrapped them later. */
  readonly attachedBy?: readonly object[];
  /** The scripts of the bash workaround come before the plugins that made the attachment. */
  readonly byScript?: true;
  /** The plugin `stand-in` of the list. */
  readonly standIn?: StandIn;
  /** The plugins refuse CHECK of this list. */
  readonly withoutCheck?: true;
  /** go-cni wants an interface of the runtime's name. cnitool does not. */
  readonly runtime?: "cnitool";
  /** The feature of the kernel without which the second kernel records it. */
  readonly needs?: keyof typeof needs;
}

/** host-local with a range for each subnet. */
const hostLocal = (...subnets: string[]) => ({
  type: "host-local",
  ranges: subnets.map((subnet) => [{ subnet }]),
});

const macvlan = {
  type: "macvlan-wrapper",
  master: "uplink0",
  ipam: { ...hostLocal("172.16.5.0/24"), routes: [{ dst: "0.0.0.0/0", gw: "172.16.5.1" }] },
  dns: { nameservers: ["172.16.5.53"], search: ["example.org"] },
};

const bridge = {
  type: "bridge-wrapper",
  wrapper: { ifName: "eth1" },
  bridge: "disc0",
  isGateway: true,
  ipMasq: true,
  ipam: {
    ...hostLocal("172.26.64.0/20", "fd00:26::/64"),
    routes: [
      { dst: "10.99.0.0/16" },
      { dst: "10.98.0.0/16", gw: "172.26.64.1" },
      { dst: "fd00:99::/64", gw: "fd00:26::1" },
    ],
  },
  dns: { nameservers: ["172.26.64.53"], search: ["example.org", "disc"] },
};

const layer2 = { type: "bridge-wrapper", wrapper: { ifName: "eth2" }, bridge: "store0" };
const tuning = { type: "tuning-wrapper", wrapper: { ifName: "eth1" }, mac: "02:00:5e:10:00:01" };
const portmap = {
  type: "portmap-wrapper",
  wrapper: { ifName: "eth1" },
  capabilities: { portMappings: true },
  snat: true,
};

const hostDevice = { type: "host-device-wrapper", device: "card0", ipam: hostLocal("172.16.5.0/24") };
const ptp = { type: "ptp-wrapper", wrapper: { ifName: "eth1" }, ipam: hostLocal("10.50.0.0/24") };
const tap = { type: "tap-wrapper", wrapper: { ifName: "tap0" }, ipam: hostLocal("10.70.0.0/24") };

const firewall = { type: "firewall-wrapper", wrapper: { ifName: "eth1" }, backend: "iptables" };
const sbr = { type: "sbr-wrapper", wrapper: { ifName: "eth1" } };

const first = { type: "bridge-wrapper", bridge: "br0", isGateway: true, ipam: hostLocal("10.0.0.0/24") };
const second = { ...first, wrapper: { ifName: "eth1" }, bridge: "br1", ipam: hostLocal("10.0.1.0/24") };
const limit = { egressRate: 1_000_000, egressBurst: 1_000_000 };

const trunk = {
  type: "bridge-wrapper",
  bridge: "disc0",
  isGateway: true,
  vlan: 100,
  ipam: hostLocal("172.26.64.0/20"),
};

/** Nomad's own list, with wrappers. */
const loopback = { type: "loopback" };
const nomad = {
  type: "bridge-wrapper",
  bridge: "nomad",
  ipMasq: true,
  isGateway: true,
  ipam: { ...hostLocal("172.26.64.0/20"), routes: [{ dst: "0.0.0.0/0" }], dataDir: "/var/run/cni" },
};

const plainMacvlan = { type: "macvlan", master: "uplink0", ipam: hostLocal("172.16.5.0/24") };
const plainBridge = {
  type: "bridge",
  bridge: "disc0",
  isGateway: true,
  ipam: { ...hostLocal("172.26.64.0/20"), routes: [{ dst: "10.99.0.0/16" }] },
};

const vlan = {
  type: "vlan-wrapper",
  master: "uplink0",
  vlanId: 5,
  ipam: { ...hostLocal("172.16.5.0/24"), routes: [{ dst: "0.0.0.0/0", gw: "172.16.5.1" }] },
};
const ipvlan = {
  type: "ipvlan-wrapper",
  wrapper: { ifName: "eth1" },
  master: "uplink0",
  ipam: hostLocal("172.16.6.0/24"),
};
const dummy = {
  type: "dummy-wrapper",
  wrapper: { ifName: "svc0" },
  ipam: { type: "static", addresses: [{ address: "10.255.0.1/32" }], routes: [{ dst: "10.255.0.1/32" }] },
};

const tenant = {
  type: "bridge-wrapper",
  wrapper: { ifName: "eth1" },
  bridge: "tenant0",
  isGateway: true,
  ipam: { ...hostLocal("172.27.64.0/20"), routes: [{ dst: "10.0.0.0/8", gw: "172.27.64.1" }] },
};
const vrf = { type: "vrf-wrapper", wrapper: { ifName: "eth1" }, vrfname: "tenant", table: 10 };

/** An IPAM plugin in the role of an interface plugin: its result has addresses and no interfaces. */
const overlay = {
  type: "host-local-wrapper",
  ipam: { ...hostLocal("10.32.0.0/12"), routes: [{ dst: "0.0.0.0/0", gw: "10.32.0.1" }] },
};

// A version of each kind of results, and with all verbs. The other chains have 1.0.0.
const kinds = ["0.4.0", "1.1.0"];
const newer = ["1.0.0"];

const standIn = { type: "stand-in" };
const calico = {
  commands: `
    netns=\${CNI_NETNS##*/}
    ip link add cali0 type veth peer name eth0 netns "$netns"
    ip link set cali0 up
    ip -n "$netns" link set eth0 up
    ip -n "$netns" address add 10.60.0.2/32 dev eth0
    ip -n "$netns" route add 169.254.1.1 dev eth0
    ip -n "$netns" route add default via 169.254.1.1 dev eth0`,
  answer: {
    interfaces: [{ name: "cali0" }],
    ips: [{ address: "10.60.0.2/32", interface: 0 }],
    routes: [{ dst: "0.0.0.0/0", gw: "169.254.1.1" }],
  },
};
const prepared = {
  answer: {
    interfaces: [{ name: "uplink0", mac: "0a:00:00:00:00:06" }],
    ips: [{ address: "10.0.7.9/20", gateway: "10.0.0.1", interface: 0 }],
    routes: [{ dst: "0.0.0.0/0", gw: "10.0.0.1" }],
  },
};

const address = "172.16.5.77";

/** The chains, by the path of their folder. The version of the specification is added to it. */
export const chains: Readonly<Record<string, Chain>> = {
  "go-cni/three-interfaces": { list: [macvlan, bridge, layer2, tuning, portmap], versions: kinds, address },
  "go-cni/firewall-and-sbr": { list: [macvlan, bridge, firewall, sbr], versions: newer, address },
  "go-cni/other-creators": { list: [hostDevice, ptp, tap], versions: newer, address },
  "go-cni/bandwidth": {
    list: [
      first,
      second,
      { type: "bandwidth-wrapper", ...limit },
      { ...limit, type: "bandwidth-wrapper", wrapper: { ifName: "eth1" } },
    ],
    versions: newer,
  },
  "go-cni/before-chains": {
    list: [{ type: "bridge-wrapper", bridge: "br0", ipam: { type: "host-local", subnet: "10.0.0.0/24" } }],
    versions: ["0.2.0"],
    withoutCheck: true,
  },
  "go-cni/bridge-vlan": { list: [trunk], versions: newer, needs: "bridgeVlanFiltering" },
  "go-cni/bridge-vlan-second": {
    list: [macvlan, { ...trunk, wrapper: { ifName: "eth1" } }],
    versions: newer,
    needs: "bridgeVlanFiltering",
  },
  "go-cni/bridge-vlan-wrapped-later": {
    list: [trunk],
    attachedBy: [{ ...trunk, type: "bridge" }],
    versions: newer,
    needs: "bridgeVlanFiltering",
  },
  "go-cni/loopback-first": {
    list: [loopback, nomad, { ...firewall, wrapper: {} }, { ...portmap, wrapper: {} }],
    versions: newer,
  },
  "go-cni/loopback-and-renamed": { list: [loopback, second, macvlan], versions: newer },
  "go-cni/older-script": {
    list: [
      { ...plainMacvlan, type: "macvlan-wrapper" },
      { ...plainBridge, type: "bridge-wrapper", wrapper: { ifName: "eth1", network: "zone" } },
    ],
    attachedBy: [plainMacvlan, plainBridge],
    byScript: true,
    versions: newer,
  },
  "go-cni/vlan-ipvlan-dummy": { list: [vlan, ipvlan, dummy], versions: newer, needs: "vlan" },
  "go-cni/vrf": { list: [macvlan, tenant, vrf], versions: newer, needs: "vrf" },
  "cnitool/no-interfaces": { list: [overlay], versions: newer, runtime: "cnitool" },
  "cnitool/no-interfaces-renamed": {
    list: [{ ...overlay, wrapper: { ifName: "eth1" } }],
    versions: newer,
    runtime: "cnitool",
  },
  "stand-in/unlisted-interface": {
    list: [standIn, { ...bridge, ipam: hostLocal("172.26.64.0/20") }, { ...portmap, wrapper: {} }],
    standIn: calico,
    versions: newer,
  },
  "stand-in/prepared-interface": {
    list: [standIn, { type: "ipvlan-wrapper", master: "uplink0" }],
    standIn: prepared,
    versions: newer,
    needs: "ipvlan",
  },
  // ipvlan's CHECK takes eth0 for the master.
  "stand-in/prepared-master": {
    list: [standIn, { type: "ipvlan-wrapper" }],
    standIn: prepared,
    versions: newer,
    withoutCheck: true,
    needs: "ipvlan",
  },
};
