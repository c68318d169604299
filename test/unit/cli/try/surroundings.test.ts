import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { surroundingsOf } from "../../../../cli/try/surroundings.ts";
import { scratch } from "../../../support/scratch.ts";
import { redirect } from "../../support/redirected.ts";
import { writeFile } from "../../support/written.ts";
import { listWith } from "../needs/support.ts";

const directory = scratch();

type Plugin = Record<string, unknown>;
type Host = Parameters<typeof surroundingsOf>[1];

const address = (local: string, scope = "global") => ({ local, prefixlen: 24, scope });
const links = [
  { ifindex: 1, ifname: "lo", link_type: "loopback" },
  {
    ...{ ifindex: 2, ifname: "ens18", altnames: ["enp0s18"], mtu: 1400, link_type: "ether" },
    addr_info: [address("172.16.5.10"), address("fe80::1", "link")],
  },
  {
    ...{ ifindex: 3, ifname: "disc0", link_type: "ether", linkinfo: { info_kind: "bridge" } },
    addr_info: [address("10.0.0.1"), address("10.0.1.1")],
  },
  { ifindex: 4, ifname: "cni0", link_type: "ether", linkinfo: { info_kind: "bridge" } },
];
const routes = [
  { device: "ens18", gateway: "172.16.5.1" },
  { device: "cni0", gateway: "10.9.0.1" },
];

const card = {
  commands: [
    "link add ens18 mtu 1400 type veth peer name try2",
    "link set ens18 up",
    "link set try2 up",
    "address add 172.16.5.10/24 dev ens18 nodad",
    "route add default via 172.16.5.1 dev ens18 onlink",
  ],
  notes: ["ens18 is a veth here, with the addresses of the host's: 172.16.5.10/24"],
};
const disc0 = {
  commands: [
    "link add disc0 type bridge",
    "link set disc0 up",
    "address add 10.0.0.1/24 dev disc0 nodad",
    "address add 10.0.1.1/24 dev disc0 nodad",
  ],
  notes: ["disc0 is made again here, with the addresses of the host's: 10.0.0.1/24, 10.0.1.1/24"],
};
const cni0 = {
  commands: ["link add cni0 type bridge", "link set cni0 up", "route add default via 10.9.0.1 dev cni0 onlink"],
  notes: ["cni0 is made again here"],
};
const macvlan = { type: "macvlan", master: "ens18" };
const published = {
  ...{ type: "portmap-wrapper", capabilities: { portMappings: true } },
  wrapper: { ports: { only: [443] } },
};
const onlyKnown = (type: string) => ({
  obstacles: [`only the plugin knows which interface of this host ${type} takes`],
});
const useless = "--port changes nothing: no plugin has the capability portMappings";
const fromDhcp = { type: "ptp", ipam: { type: "dhcp" } };
const limit = (own: object) => ({ type: "bandwidth", ...own });
const inRun = { cniPath: ["/opt/cni/bin", "/var/run/cni", "/opt/run/cni"] };
const noVeth = "it needs ens18 of this host: --veth puts a veth there";
const leases = (dataDir: string) => ({ type: "ptp", ipam: { type: "host-local", dataDir } });

test.each<[string, readonly Plugin[], Partial<ReturnType<typeof surroundingsOf>>, Partial<Host>?]>([
  ["a card", [macvlan], card],
  ["a card by its other name, twice", [{ ...macvlan, master: "enp0s18" }, macvlan], card],
  ["no --veth", [macvlan], { ...card, obstacles: [noVeth] }, { veth: false }],
  ["the card of the default route", [{ type: "macvlan", master: "" }], card],
  ["no card is named", [{ type: "ipvlan" }], card],
  ["no default route", [{ type: "macvlan", master: 7 }], {}, { routes: [] }],
  [
    "a card that the host lacks, twice",
    Array(2).fill({ type: "macvlan", master: "ens19" }),
    { notes: ["this host has no interface ens19"] },
  ],
  [
    "a card that the list makes",
    [
      { type: "bridge", bridge: "disc1" },
      { type: "vlan", master: "disc1" },
    ],
    {},
  ],
  ["the loopback", [{ type: "macvlan", master: "lo" }], {}],
  ["a card in the container", [{ type: "vlan", master: "ens18", linkInContainer: true }], {}],
  ["a card that moves", [{ type: "host-device", device: "ens18" }], card],
  ["one that only the plugin knows", [{ type: "host-device", pciBusID: "0000:00:1f.6" }], onlyKnown("host-device")],
  ["a card that a program names", [{ type: "vlan-wrapper", wrapper: { jq: "." } }], onlyKnown("vlan-wrapper")],
  ["a card that is missing in the list", [{ type: "vlan" }], {}],
  ["a plugin that nobody knows", [{ type: "sriov", master: "ens18" }], card],
  ["a key that the plugin does not know", [{ type: "tuning", master: "ens18" }], {}],
  ["a bridge", [{ type: "bridge", bridge: "disc0" }], disc0],
  ["the usual bridge", [{ type: "bridge", bridge: "" }], cni0],
  ["a bridge that the plugin makes", [{ type: "bridge", bridge: "disc1" }, { type: "ptp" }], {}],
  ["a bridge that is a card, too", [{ type: "bridge", bridge: "ens18" }, macvlan], card],
  ["ports", [published], { notes: ["invented ports: 20080:80, 20443:443; --port names others"] }],
  ["named ports", [published], {}, { ports: ["80:80"] }],
  ["ports, and no plugin for them", [{ type: "ptp" }], { notes: [useless] }, { ports: ["80:80"] }],
  [
    "plugins with nothing to do",
    [{ type: "portmap" }, limit({ ingressRate: 0 }), limit({ capabilities: { bandwidth: true } })],
    {
      notes: [
        "portmap publishes no port: it has no capability portMappings",
        "bandwidth limits nothing: it has no rate",
        "bandwidth limits nothing: it has no rate, and gets none here",
      ],
    },
  ],
  ["plugins with something to do", [limit({ egressRate: 1 }), { type: "portmap-wrapper", wrapper: { jq: "." } }], {}],
  ["no plugin", [], { obstacles: ["its list of plugins is empty"] }],
  ["DHCP", [fromDhcp], { obstacles: ["ptp asks a DHCP daemon and a server for addresses"] }],
  [
    "plugins in /run",
    [{ type: "ptp" }],
    { obstacles: ["the plugins in /var/run/cni are under /run, which begins empty"] },
    inRun,
  ],
  [
    "leases in directories of the list's own",
    [leases("/tmp/a"), leases("/tmp/a"), leases("leases"), leases("/run/b"), leases("/var/lib/cni/c")],
    { state: ["/var/lib/cni", "/tmp/a/zone"] },
  ],
  [
    "leases with no directory above",
    [leases("/no-such")],
    {
      obstacles: ["/no-such/zone has no directory above it: make one"],
      state: ["/var/lib/cni", "/no-such/zone"],
    },
  ],
])("%s", (_, plugins, expected, host) => {
  const usual = { commands: [], notes: [], obstacles: [], state: ["/var/lib/cni"] };
  const given = { links, routes, cniPath: ["/opt/cni/bin"], veth: true, ...host };
  expect(surroundingsOf(listWith(...plugins), given)).toEqual({ ...usual, ...expected });
});

test("a CHECK that no runtime runs is a note", () => {
  const list = listWith({ type: "ptp" });
  const { notes } = surroundingsOf({ ...list, value: { disableCheck: true } }, { links, cniPath: [], veth: true });
  const why = "as the list has disableCheck: no runtime runs it, and none sees a broken network";
  expect(notes).toEqual([`CHECK was not run, ${why}`]);
});

test("files in /run and services that the list asks are not there", () => {
  const files = { "run/dhcp.sock": "", "proc/7/comm": "firewalld\n", "proc/7/status": "Uid:\t0\t0\t0\t0\n" };
  for (const [file, text] of Object.entries(files)) writeFile(join(directory, file), text);
  symlinkSync("/", join(directory, "proc/7/root"));
  redirect("/run", join(directory, "run"));
  redirect("/proc", join(directory, "proc"));
  const list = listWith(
    { type: "ptp", ipam: { daemonSocketPath: "/run/dhcp.sock", other: ["/run/none", null, "/etc/hostname", "run"] } },
    { type: "firewall" },
    { type: "firewall-wrapper", backend: "iptables" },
  );
  const obstacles = () => surroundingsOf(list, { links, cniPath: [], veth: true }).obstacles;
  expect(obstacles()).toEqual(["ptp needs /run/dhcp.sock of this host", "firewall asks firewalld"]);
  writeFile(join(directory, "proc/7/comm"), "firewall");
  expect(obstacles()).toHaveLength(1);
});
