// The plugin configurations of the recorded chains.

/** host-local with a range for each subnet. */
export const hostLocal = (...subnets: string[]) => ({
  type: "host-local",
  ranges: subnets.map((subnet) => [{ subnet }]),
});

export const macvlan = {
  type: "macvlan-wrapper",
  master: "uplink0",
  ipam: { ...hostLocal("172.16.5.0/24"), routes: [{ dst: "0.0.0.0/0", gw: "172.16.5.1" }] },
  dns: { nameservers: ["172.16.5.53"], search: ["example.org"] },
};

export const bridge = {
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

export const layer2 = { type: "bridge-wrapper", wrapper: { ifName: "eth2" }, bridge: "store0" };
export const tuning = { type: "tuning-wrapper", wrapper: { ifName: "eth1" }, mac: "02:00:5e:10:00:01" };
export const portmap = {
  type: "portmap-wrapper",
  wrapper: { ifName: "eth1" },
  capabilities: { portMappings: true },
  snat: true,
};

export const hostDevice = { type: "host-device-wrapper", device: "card0", ipam: hostLocal("172.16.5.0/24") };
export const ptp = { type: "ptp-wrapper", wrapper: { ifName: "eth1" }, ipam: hostLocal("10.50.0.0/24") };
export const tap = { type: "tap-wrapper", wrapper: { ifName: "tap0" }, ipam: hostLocal("10.70.0.0/24") };

export const firewall = { type: "firewall-wrapper", wrapper: { ifName: "eth1" }, backend: "iptables" };
export const sbr = { type: "sbr-wrapper", wrapper: { ifName: "eth1" } };

export const first = { type: "bridge-wrapper", bridge: "br0", isGateway: true, ipam: hostLocal("10.0.0.0/24") };
export const second = { ...first, wrapper: { ifName: "eth1" }, bridge: "br1", ipam: hostLocal("10.0.1.0/24") };
export const limit = { egressRate: 1_000_000, egressBurst: 1_000_000 };

export const trunk = {
  type: "bridge-wrapper",
  bridge: "disc0",
  isGateway: true,
  vlan: 100,
  ipam: hostLocal("172.26.64.0/20"),
};

/** Nomad's own list, with wrappers. */
export const loopback = { type: "loopback" };
export const nomad = {
  type: "bridge-wrapper",
  bridge: "nomad",
  ipMasq: true,
  isGateway: true,
  ipam: { ...hostLocal("172.26.64.0/20"), routes: [{ dst: "0.0.0.0/0" }], dataDir: "/var/run/cni" },
};

export const plainMacvlan = { type: "macvlan", master: "uplink0", ipam: hostLocal("172.16.5.0/24") };
export const plainBridge = {
  type: "bridge",
  bridge: "disc0",
  isGateway: true,
  ipam: { ...hostLocal("172.26.64.0/20"), routes: [{ dst: "10.99.0.0/16" }] },
};

export const vlan = {
  type: "vlan-wrapper",
  master: "uplink0",
  vlanId: 5,
  ipam: { ...hostLocal("172.16.5.0/24"), routes: [{ dst: "0.0.0.0/0", gw: "172.16.5.1" }] },
};
export const ipvlan = {
  type: "ipvlan-wrapper",
  wrapper: { ifName: "eth1" },
  master: "uplink0",
  ipam: hostLocal("172.16.6.0/24"),
};
export const dummy = {
  type: "dummy-wrapper",
  wrapper: { ifName: "svc0" },
  ipam: { type: "static", addresses: [{ address: "10.255.0.1/32" }], routes: [{ dst: "10.255.0.1/32" }] },
};

export const tenant = {
  type: "bridge-wrapper",
  wrapper: { ifName: "eth1" },
  bridge: "tenant0",
  isGateway: true,
  ipam: { ...hostLocal("172.27.64.0/20"), routes: [{ dst: "10.0.0.0/8", gw: "172.27.64.1" }] },
};
export const vrf = { type: "vrf-wrapper", wrapper: { ifName: "eth1" }, vrfname: "tenant", table: 10 };

/** An IPAM plugin in the role of an interface plugin: its result has addresses and no interfaces. */
export const overlay = {
  type: "host-local-wrapper",
  ipam: { ...hostLocal("10.32.0.0/12"), routes: [{ dst: "0.0.0.0/0", gw: "10.32.0.1" }] },
};
