import { expect, test } from "vitest";
import { hostErrors, ipv6Problems, sysctlProblems } from "../../../../cli/needs/host-errors.ts";
import { lostSince } from "../../../../cli/needs/running.ts";
import { cachedAttachment } from "../../support/cached-results.ts";
import { intercept } from "../../support/file-functions.ts";
import { setVariable } from "../../support/programs.ts";
import { listWith, pluginOf } from "./support.ts";

/** Lets the host have these files. Null: it has none of this name. The others are those of this machine. */
function hostHas(files: Readonly<Record<string, string | null>>): void {
  const textOf = (path: unknown) => (typeof path === "string" ? files[path] : undefined);
  intercept("readFileSync", (actual) => (path: string, ...rest: []) => {
    const text = textOf(path);
    if (text === null) throw Object.assign(new Error(`no ${path}`), { code: "ENOENT" });
    return text ?? actual(path, ...rest);
  });
  intercept(
    "existsSync",
    (actual) => (path: string) => (textOf(path) === undefined ? actual(path) : textOf(path) !== null),
  );
}

const allowlist = "/etc/cni/tuning/allowlist.conf";
const tuning = (sysctl: unknown, own: object = {}) => pluginOf({ type: "tuning", sysctl, ...own });
const keys = (...names: string[]) => Object.fromEntries(names.map((name) => [name, "1"]));
const refused = (key: string) => `${allowlist} does not allow the sysctl ${key}: ADD fails. Add a line to it`;
const foreign = (key: string) => `tuning sets no sysctl outside of net, such as ${key}: ADD fails. Delete it`;
const missing = (key: string) =>
  `a container has no sysctl ${key}: ADD fails. Correct the name, or set it on the host itself`;
const [somaxconn, forward] = ["net.core.somaxconn", "net.ipv4.ip_forward"];

const wrapped = { type: "tuning-wrapper" };
const ofModules = ["net.netfilter.none", "net.bridge.none", "net.ipv4.conf.eth7.none", "net.ipv6.neigh.eth7.none"];

test.each<[string, ReturnType<typeof pluginOf>, string | null, string[]]>([
  ["no allowlist allows all", tuning(keys(somaxconn, forward)), null, []],
  ["an empty one allows nothing", tuning(keys(somaxconn, forward)), "\n  \n", [refused(somaxconn), refused(forward)]],
  ["a line of it", tuning(keys(somaxconn, forward), wrapped), "^x\n ^net.core.somaxconn$ \n", [refused(forward)]],
  ["a form of Go's", tuning(keys(forward)), "(?i)[[:alpha:", []],
  ["another plugin", pluginOf({ type: "vrf", sysctl: keys("kernel.x") }), "", []],
  ["a program decides", tuning(keys("kernel.x"), { ...wrapped, wrapper: { jq: "." } }), "", []],
  ["no sysctls", tuning([somaxconn]), "", []],
  ["a key of the host", tuning(keys("kernel.none")), null, [foreign("kernel.none")]],
  ["a path that leads nowhere: dots are slashes", tuning(keys("net/../kernel.shmmax")), null, []],
  ["a key that is misspelt", tuning(keys("net.core.somaxcon", somaxconn)), null, [missing("net.core.somaxcon")]],
  ["written with slashes", tuning(keys("net/core/somaxconn", "net/core/none")), null, [missing("net/core/none")]],
  ["of a directory that a module may bring", tuning(keys("net.none.such")), null, []],
  ["of netfilter, bridges and interfaces", tuning(keys(...ofModules)), null, []],
  ["two faults", tuning(keys("kernel.shmmax")), "y", [refused("kernel.shmmax"), foreign("kernel.shmmax")]],
])("%s", (_, plugin, allowed, expected) => {
  hostHas({ [allowlist]: allowed });
  expect(sysctlProblems(plugin)).toEqual(expected);
});

const bridge = (subnet: string, own: object = {}) => ({
  ...{ type: "bridge-wrapper", bridge: "disc0", isGateway: true },
  ...{ ipam: { type: "host-local", ranges: [[{ subnet }]] }, ...own },
});
const [own, usual] = ["disc0", "default"].map((name) => `/proc/sys/net/ipv6/conf/${name}/disable_ipv6`) as [
  string,
  string,
];
const off = (file: string) =>
  `IPv6 is off on this host (${file}), and disc0 needs an IPv6 address: ADD fails. Switch it on`;

test.each<[string, object, Record<string, string | null>, string[]]>([
  ["IPv4 needs none", bridge("10.1.0.0/24"), { [own]: null, [usual]: "1\n" }, []],
  ["a new bridge begins as the default", bridge("fd00::/64"), { [own]: null, [usual]: "0\n" }, []],
  ["the default is off", bridge("fd00::/64"), { [own]: null, [usual]: "1\n" }, [off(usual)]],
  ["the bridge counts if it is there", bridge("fd00::/64"), { [own]: "0\n", [usual]: "1\n" }, []],
  ["the bridge's own is off", bridge("fd00::/64"), { [own]: "1\n", [usual]: "0\n" }, [off(own)]],
  ["a kernel without IPv6", bridge("fd00::/64"), { [own]: null, [usual]: null }, [off(usual)]],
  ["no gateway, no address", bridge("fd00::/64", { isGateway: false }), { [own]: null, [usual]: "1" }, []],
])("IPv6: %s", (_, plugin, files, expected) => {
  hostHas(files);
  expect(ipv6Problems(listWith(plugin))).toEqual(expected);
});

const [ip4, ip6] = ["/proc/sys/net/ipv4/ip_forward", "/proc/sys/net/ipv6/conf/all/forwarding"];
const notForwarding = (name: string) =>
  `${name} is 0, and containers reach only this host. Run: sysctl -w ${name}=1, and remove what sets it to 0 (/etc/sysctl.d)`;
const attached = (address: string, network = "zone") =>
  cachedAttachment({
    ...{ network, netns: "/n", list: { plugins: [{ type: "firewall" }] } },
    result: { interfaces: [{ name: "eth0", sandbox: "/n" }], ips: [{ address, interface: 0 }] },
  });
const links = [
  {
    ...{ ifindex: 9, ifname: "disc0", flags: ["UP"] },
    addr_info: ["10.1.0.1", "fd00::1"].map((local, index) => ({ local, prefixlen: index ? 64 : 24, scope: "global" })),
  },
];

test.each<[string, string, string, Record<string, string | null>, string[]]>([
  ["IPv4", "10.1.0.0/24", "10.1.0.2/24", { [ip4]: "0\n", [ip6]: "1\n" }, [notForwarding("net.ipv4.ip_forward")]],
  ["IPv4, switched on", "10.1.0.0/24", "10.1.0.2/24", { [ip4]: "1\n", [ip6]: "0\n" }, []],
  ["IPv6", "fd00::/64", "fd00::2/64", { [ip4]: "1\n", [ip6]: "0\n" }, [notForwarding("net.ipv6.conf.all.forwarding")]],
  ["IPv6, switched on", "fd00::/64", "fd00::2/64", { [ip4]: "0\n", [ip6]: "1\n" }, []],
  ["a host that does not say it", "10.1.0.0/24", "10.1.0.2/24", { [ip4]: null }, []],
  ["no container of the subnet", "10.1.0.0/24", "10.2.0.2/24", { [ip4]: "0\n" }, []],
])("forwarding: %s", (_, subnet, address, files, expected) => {
  hostHas(files);
  expect(lostSince(listWith(bridge(subnet)), [attached(address)], { links, note: () => {} })).toEqual(expected);
});

test("what a host does not have, for each list and the containers of its network, a line each", () => {
  const route = "ens18\t00000000\tFE0510AC\t0003\t0\t0\t0\t00000000\n";
  hostHas({ [ip4]: "0\n", [ip6]: "0\n", [own]: null, [usual]: "1\n", [allowlist]: "" });
  hostHas({ "/run/cni/dhcp.sock": null, "/proc/net/route": route });
  setVariable("PATH", "/nowhere");
  const list = listWith(
    bridge("10.1.0.0/24"),
    bridge("fd00::/64"),
    { type: "tuning", sysctl: keys(somaxconn) },
    { type: "ptp", ipam: { type: "dhcp" } },
    { type: "ptp", ipam: { type: "dhcp" } },
    { type: "host-device", device: "ens18" },
    { type: "portmap", backend: "nftables" },
  );
  const networks = new Map([["zone", { name: "zone", list, value: list.value }]]);
  const live = [attached("10.1.0.2/24"), attached("10.1.0.3/24"), attached("fd00::2/64", "other")];
  const lines = [
    refused(somaxconn),
    "ptp asks for addresses at /run/cni/dhcp.sock, which is not there: ADD fails. Start the DHCP daemon (dhcp daemon)",
    "host-device moves ens18 into the container, and this host's only default route goes through it: the host loses its network. Use another device",
    "portmap needs nft, which this host does not have: ADD fails. Install it",
    off(usual),
    notForwarding("net.ipv4.ip_forward"),
    "firewall is in the list no more, so DEL leaves its rules: put it back until the containers that have them are gone",
  ];
  expect(hostErrors(networks, { live, links, note: () => {} })).toEqual(lines.map((line) => `zone.conflist: ${line}`));
});
