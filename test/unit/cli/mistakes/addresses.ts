import { type Mistake, shop, type Untold } from "./mistake.ts";

const failing = { lint: 1, status: 1 };
const misleading = { lint: 1 };

const withShop = (host: { write(name: string, text: string): void }) => host.write("config/shop.conflist", shop);

/** Mistakes with addresses and the host's interfaces, in a list and between lists. */
export const addressMistakes: readonly Mistake[] = [
  {
    name: "two lists have one pool",
    before: withShop,
    make: (host) => host.write("config/shop.conflist", shop.replace("10.77.0.0/24", "172.26.64.0/24")),
    told: failing,
    says: ["config/zone.conflist:15:", "172.26.64.", "shop", "two containers would have one address"],
  },
  {
    name: "two lists give one bridge different gateways",
    before: withShop,
    make: (host) => host.write("config/shop.conflist", shop.replace("shop0", "disc0")),
    told: failing,
    says: ["config/zone.conflist:13:", "disc0", "shop", "different gateway"],
  },
  {
    name: "a list is named as the network of another one's interface",
    before: withShop,
    make: (host) => host.write("config/shop.conflist", shop.replace('"shop"', '"zone-eth1"')),
    told: misleading,
    says: ["config/shop.conflist:3:", "eth1", "zone.conflist", "share leases", "Rename"],
  },
  {
    name: "both interfaces of a list have one subnet",
    make: (host) => host.line(15, '      "ipam": { "type": "host-local", "subnet": "172.16.5.0/24" }'),
    told: failing,
    says: ["config/zone.conflist:15:", "eth1 can get", "so can eth0", "Use another subnet"],
  },
  {
    name: "both interfaces have a default route",
    make: (host) => {
      const route = '"routes": [{ "dst": "0.0.0.0/0" }]';
      host.line(8, `      "ipam": { "type": "host-local", "subnet": "172.16.5.0/24", ${route} }`);
      host.line(15, `      "ipam": { "type": "host-local", "subnet": "172.26.64.0/20", ${route} }`);
    },
    told: misleading,
    says: ["config/zone.conflist:15:", "eth1 has a default route", "so has eth0"],
  },
  {
    name: "the gateway is in another subnet",
    make: (host) =>
      host.line(
        8,
        '      "ipam": { "type": "host-local", "subnet": "172.16.5.0/24", "gateway": "172.16.4.1", "routes": [{ "dst": "0.0.0.0/0" }] }',
      ),
    told: failing,
    says: ["config/zone.conflist:8:", "172.16.4.1 is not in 172.16.5.0/24"],
  },
  {
    name: "a route's gateway is in another subnet",
    make: (host) =>
      host.line(
        15,
        '      "ipam": { "type": "host-local", "subnet": "172.26.64.0/20", "routes": [{ "dst": "10.0.0.0/8", "gw": "172.26.46.1" }] }',
      ),
    told: failing,
    says: ["config/zone.conflist:15:", "172.26.46.1", "172.26.64.0/20", "10.0.0.0/8"],
  },
  {
    name: "nobody has started the DHCP daemon",
    before: (host) => {
      host.write("bin/dhcp", host.read("bin/host-local"), 0o755);
      host.write("dhcp.sock", "");
      host.line(8, `      "ipam": { "type": "dhcp", "daemonSocketPath": "${host.path("dhcp.sock")}" }`);
    },
    make: (host) => host.remove("dhcp.sock"),
    told: { status: 1 },
    says: ["config/zone.conflist: ", "/dhcp.sock", "dhcp daemon", "ADD fails"],
  },
  {
    name: "a range ends before it starts",
    make: (host) =>
      host.line(
        8,
        '      "ipam": { "type": "host-local", "subnet": "172.16.5.0/24", "rangeStart": "172.16.5.20", "rangeEnd": "172.16.5.2" }',
      ),
    told: failing,
    says: ["config/zone.conflist:8:", "rangeEnd", "rangeStart"],
  },
  {
    name: "a range starts outside of its subnet",
    make: (host) =>
      host.line(8, '      "ipam": { "type": "host-local", "subnet": "172.16.5.0/24", "rangeStart": "172.16.50.20" }'),
    told: failing,
    says: ["config/zone.conflist:8:", "172.16.50.20 is not in 172.16.5.0/24"],
  },
  {
    name: "a subnet is an address of the network",
    make: (host) => host.line(8, '      "ipam": { "type": "host-local", "subnet": "172.16.5.1/24" }'),
    told: failing,
    says: ["config/zone.conflist:8:", "172.16.5.1/24", '"172.16.5.0/24"'],
  },
  {
    name: "a subnet has no prefix",
    make: (host) => host.line(8, '      "ipam": { "type": "host-local", "subnet": "172.16.5.0" }'),
    told: failing,
    says: ["config/zone.conflist:8:", "ipam.subnet", "an address with a prefix length", "/24"],
  },
  {
    name: "a pool is too small for one container",
    make: (host) => host.line(8, '      "ipam": { "type": "host-local", "subnet": "172.16.5.0/31" }'),
    told: failing,
    says: ["config/zone.conflist:8:", "172.16.5.0/31 is too small", "/30"],
  },
  {
    name: "host-local has neither subnet nor ranges",
    make: (host) => host.line(15, '      "ipam": { "type": "host-local" }'),
    told: failing,
    says: ["config/zone.conflist:15:", "subnet"],
  },
  {
    name: "ptp has no ipam",
    before: withShop,
    make: (host) =>
      host.write("config/shop.conflist", '{ "cniVersion": "1.0.0", "name": "shop",\n"plugins": [{ "type": "ptp" }] }'),
    told: failing,
    says: ["config/shop.conflist:2:", "ptp", "ipam"],
  },
  {
    name: "ipam's plugin is misspelled",
    make: (host) => host.line(15, '      "ipam": { "type": "host-locl", "subnet": "172.26.64.0/20" }'),
    told: failing,
    says: ["config/zone.conflist:15:", "host-locl"],
  },
  {
    name: "leases are kept where systemd deletes old files",
    make: (host) =>
      host.line(15, '      "ipam": { "type": "host-local", "subnet": "172.26.64.0/20", "dataDir": "/tmp/leases" }'),
    told: misleading,
    says: ["config/zone.conflist:15:", "/tmp", "/var/run/cni"],
  },
  {
    name: "macvlan and ipvlan have one master",
    before: (host) => host.write("bin/ipvlan", "#!/bin/sh\necho 'CNI ipvlan plugin v1.9.1'\n", 0o755),
    make: (host) =>
      host.write(
        "config/shop.conflist",
        shop.replace(/"type": "bridge"[^[]*"ipam"/, '"type": "ipvlan", "master": "lo",\n"ipam"'),
      ),
    told: failing,
    says: ["config/zone.conflist:7:", "lo carries ipvlan interfaces already", "shop.conflist", "Use another master"],
  },
];

/** Mistakes that no command tells, because a right host can look the same. */
export const untoldMistakes: readonly Untold[] = [
  {
    name: "macvlan has no ipam by mistake: an interface without an address may be what is wanted",
    make: (host) => host.line(8, '      "mode": "bridge"'),
    tried: ["lint", "status", "preflight"],
  },
  {
    name: "a macvlan's pool is the whole LAN, the same on each host: no host sees the others' lists",
    make: (host) => host.line(8, '      "ipam": { "type": "host-local", "subnet": "172.16.5.0/24" }'),
    tried: ["lint", "status", "preflight"],
  },
  {
    name: "a pool has fewer addresses than jobs will ask for",
    make: (host) =>
      host.line(
        8,
        '      "ipam": { "type": "host-local", "subnet": "172.16.5.0/24", "rangeStart": "172.16.5.10", "rangeEnd": "172.16.5.10" }',
      ),
    tried: ["lint", "status", "preflight"],
  },
];
