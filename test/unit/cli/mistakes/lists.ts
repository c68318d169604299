import { type Mistake, shop, type Untold } from "./mistake.ts";

const unloaded = { lint: 1, status: 2, preflight: 2 };
/** The runtime loads the list, and ADD or CHECK fails. */
const failing = { lint: 1, status: 1 };

/**
 * Mistakes in a list, and between lists. lint has more of them: each `err-` file of its fixtures is one, and status prints what lint
 * prints.
 */
export const listMistakes: readonly Mistake[] = [
  {
    name: "name is missing",
    make: (host) => host.line(3, ""),
    told: unloaded,
    says: ["config/zone.conflist:1:", "name"],
  },
  {
    name: "plugins is an object",
    make: (host) => host.write("config/late.conflist", '{\n"name": "late",\n"plugins": { "type": "bridge" } }'),
    told: unloaded,
    says: ["config/late.conflist:3:", "plugins must be a list"],
  },
  {
    name: "the bridge has a slash in its name",
    make: (host) => host.line(13, '      "bridge": "br/disc0",'),
    told: failing,
    says: ["config/zone.conflist:13:", "bridge must not contain '/'"],
  },
  {
    name: "a plugin has no type",
    make: (host) => host.line(11, ""),
    told: unloaded,
    says: ["config/zone.conflist:10:", "no type"],
  },
  {
    name: "two creators have one ifName",
    make: (host) => host.line(6, '      "type": "macvlan-wrapper", "wrapper": { "ifName": "eth1" },'),
    told: failing,
    says: ["config/zone.conflist:12:", "bridge-wrapper makes eth1", "macvlan-wrapper", "another name"],
  },
  {
    name: "the log is below a file",
    make: (host) => {
      host.write("log", "");
      host.line(12, `      "wrapper": { "ifName": "eth1", "log": { "file": "${host.path("log/wrappers.log")}" } },`);
    },
    told: { status: 1 },
    says: ["config/zone.conflist: the wrappers cannot write the log", "/log/wrappers.log", "is not a directory"],
  },
  {
    name: "the log is a directory",
    make: (host) => host.line(12, `      "wrapper": { "ifName": "eth1", "log": { "file": "${host.directory}" } },`),
    told: { status: 1 },
    says: ["config/zone.conflist: the wrappers cannot write the log", "it is a directory"],
  },
  {
    name: "dns is a text",
    make: (host) => host.line(14, '      "isGateway": true, "dns": "172.26.64.1",'),
    told: failing,
    says: ["config/zone.conflist:14:", "dns must be an object"],
  },
  {
    name: "two lists have one pool",
    before: (host) => host.write("config/shop.conflist", shop),
    make: (host) => host.write("config/shop.conflist", shop.replace("10.77.0.0/24", "172.26.64.0/24")),
    told: failing,
    says: ["config/zone.conflist:15:", "172.26.64.", "shop", "two containers would have one address"],
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
