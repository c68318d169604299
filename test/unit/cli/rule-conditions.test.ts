import { describe, expect, test } from "vitest";
import type { Link } from "../../../cli/host/links.ts";
import type { State } from "../../../cli/host/memory.ts";
import { lintFiles } from "../../../cli/lint/lint.ts";
import type { Context } from "../../../cli/lint/rule.ts";
import { parseListFile } from "../../../cli/lists/list-file.ts";
import { missingWrapperCure } from "../../../cli/rules/missing-plugin.ts";
import { entryOf } from "../support/journals.ts";

// The fixtures of test/fixtures/lint show each mistake once. Here is what lies on both sides of a rule's conditions.

/** What a rule finds, a line each: the marked text, the message and the hint. The files are those of one run. */
function found(code: string, files: Readonly<Record<string, string>>, around: Omit<Context, "lists"> = {}): string[] {
  const parsed = Object.entries(files).map(([path, text]) => parseListFile(path, text));
  const isAsked = (rule: { readonly code: string }) => rule.code === code;
  return lintFiles(parsed, { ...around, isAsked }).map(({ file, place: { offset, length }, message, hint }) => {
    return `${file.text.slice(offset, offset + length)}: ${message}. ${hint}`;
  });
}

type Plugin = Readonly<Record<string, unknown>>;

const text = (plugins: readonly Plugin[], own: object = {}) =>
  JSON.stringify({ cniVersion: "1.0.0", name: "zone", ...own, plugins });
const foundIn = (code: string, plugins: readonly Plugin[], own: object = {}, around: Omit<Context, "lists"> = {}) =>
  found(code, { "zone.conflist": text(plugins, own) }, around);

/** A row: the list's plugins, its other keys, and what the rule finds. */
type Row = readonly [what: string, plugins: readonly Plugin[], own: object, expected: readonly string[]];

const fixed = (addresses: readonly object[], routes: readonly object[] = [], own: object = {}) => ({
  ...{ type: "macvlan", ipam: { type: "static", addresses, routes } },
  ...own,
});
const leased = (ranges: readonly object[], routes: readonly object[] = [], own: object = {}) => ({
  ...{ type: "macvlan", ipam: { type: "host-local", ranges: ranges.map((range) => [range].flat()), routes } },
  ...own,
});

describe("gateway-outside-subnet", () => {
  const outside = { address: "10.1.0.2/24", gateway: "10.2.0.1" };
  const inside = { address: "10.1.0.2/24", gateway: "10.1.0.1" };
  const outside6 = { address: "fd00:1::2/64", gateway: "fd00:2::1" };
  const all = { dst: "0.0.0.0/0" };
  const all6 = { dst: "::/0" };
  const refused = (gateway: string, subnet: string) =>
    `"${gateway}": the gateway ${gateway} is not in ${subnet}, and a route goes through it. Use an address of the subnet`;
  const unreached = (gateway: string, dst: string, subnets: string) =>
    `"${gateway}": the gateway ${gateway} of the route to ${dst} is not in ${subnets}. Use an address of the subnet`;
  const wrong = refused("10.2.0.1", "10.1.0.2/24");
  const wrong6 = refused("fd00:2::1", "fd00:1::2/64");

  test.each<Row>([
    ["a route needs it", [fixed([outside], [all])], {}, [wrong]],
    ["of either version", [fixed([outside6, outside], [all, all6])], {}, [wrong6, wrong]],
    ["no route needs it", [fixed([outside])], {}, []],
    ["only a route of the other version", [fixed([outside], [all6])], {}, []],
    ["the first address of the version counts", [fixed([outside6, outside, inside], [all])], {}, [wrong]],
    ["and a later one's gateway does not", [fixed([inside, outside], [all])], {}, []],
    [
      "it is in another subnet of the interface",
      [fixed([outside, { ...inside, address: "10.2.0.9/16" }], [all])],
      {},
      [],
    ],
    ["it is in its subnet", [fixed([inside], [all])], {}, []],
    ["it is link-local", [fixed([{ ...outside6, gateway: "fe80::1" }], [all6])], {}, []],
    ["an earlier route leads to it", [fixed([outside], [{ dst: "10.2.0.0/16", gw: "10.1.0.1" }, all])], {}, []],
    ["a later route leads to it", [fixed([outside], [all, { dst: "10.2.0.0/16", gw: "10.1.0.1" }])], {}, [wrong]],
    [
      "an earlier route has a gateway of its own",
      [fixed([outside], [{ dst: "10.9.0.0/16", gw: "10.1.0.9" }, all])],
      {},
      [wrong],
    ],
    ["nobody's gateway", [fixed([{ address: "10.1.0.2/24" }], [all])], {}, []],
    ["a text", [fixed([{ ...outside, gateway: "the router" }], [all])], {}, []],
    ["a program decides", [fixed([outside], [all], { type: "macvlan-wrapper", wrapper: { jq: "." } })], {}, []],
    ["a chained plugin has no gateway", [fixed([outside], [all], { type: "tuning" })], {}, []],
    ["host-local refuses it", [leased([{ subnet: "10.1.0.0/24", gateway: "10.2.0.1" }], [all])], {}, []],
  ])("a gateway: %s", (_, plugins, own, expected) => {
    expect(foundIn("gateway-outside-subnet", plugins, own)).toEqual(expected);
  });

  const far = { dst: "10.9.0.0/16", gw: "10.8.0.1" };
  test.each<Row>([
    ["no interface reaches it", [fixed([inside], [far])], {}, [unreached("10.8.0.1", "10.9.0.0/16", "10.1.0.2/24")]],
    [
      "the first of two",
      [fixed([inside], [far, { ...far, gw: "10.7.0.1" }])],
      {},
      [unreached("10.8.0.1", "10.9.0.0/16", "10.1.0.2/24")],
    ],
    ["after a right one", [fixed([inside], [all, far])], {}, [unreached("10.8.0.1", "10.9.0.0/16", "10.1.0.2/24")]],
    [
      "of two addresses",
      [fixed([inside, { address: "10.3.0.2/24" }], [far])],
      {},
      [unreached("10.8.0.1", "10.9.0.0/16", "10.1.0.2/24 or 10.3.0.2/24")],
    ],
    ["the second one reaches it", [fixed([inside, { address: "10.8.0.2/24" }], [far])], {}, []],
    ["a route with a scope reaches it", [fixed([inside], [{ dst: "10.8.0.0/16", scope: 253 }, far])], {}, []],
    [
      "a route without a scope does not",
      [fixed([inside], [{ dst: "10.8.0.0/16" }, far])],
      {},
      [unreached("10.8.0.1", "10.9.0.0/16", "10.1.0.2/24")],
    ],
    ["it is link-local", [fixed([inside], [{ dst: "fd00:9::/64", gw: "fe80::1" }])], {}, []],
    ["the runtime can give other addresses: ips", [fixed([inside], [far], { capabilities: { ips: true } })], {}, []],
    ["the runtime can give other ranges", [fixed([inside], [far], { capabilities: { ipRanges: true } })], {}, []],
    [
      "the runtime can give other things",
      [fixed([inside], [far], { capabilities: { mac: true } })],
      {},
      [unreached("10.8.0.1", "10.9.0.0/16", "10.1.0.2/24")],
    ],
    [
      "host-local's subnet",
      [leased([{ subnet: "10.1.0.0/24" }], [far])],
      {},
      [unreached("10.8.0.1", "10.9.0.0/16", "10.1.0.0/24")],
    ],
    [
      "one of two ranges may reach it",
      [leased([[{ subnet: "10.1.0.0/24" }, { subnet: "10.8.0.0/24" }], { subnet: "10.3.0.0/24" }], [far])],
      {},
      [],
    ],
    ["no subnet is certain", [leased([[{ subnet: "10.1.0.0/24" }, { subnet: "10.2.0.0/24" }]], [far])], {}, []],
    ["no subnet is known", [{ type: "macvlan", ipam: { type: "dhcp", routes: [far] } }], {}, []],
  ])("a route's own gateway: %s", (_, plugins, own, expected) => {
    expect(foundIn("gateway-outside-subnet", plugins, own)).toEqual(expected);
  });
});

describe("duplicate-network", () => {
  const same = text([{ type: "ptp" }]);
  const other = text([{ type: "ptp" }], { name: "other" });
  const taken = (first: string, readers: string) =>
    `"zone": ${first} has this name too, and ${readers}. Delete or rename one of them`;

  test.each<[string, string[], string[]]>([
    ["one file", ["a/10.conflist"], []],
    ["two directories", ["a/10.conflist", "b/10.conflist"], []],
    ["sorted byte by byte", ["a/9.conflist", "a/10.conflist"], [taken("10.conflist", "runtimes take that file")]],
    [
      "three",
      ["a/1.conflist", "a/2.conflist", "a/3.conflist"],
      [taken("1.conflist", "runtimes take that file"), taken("1.conflist", "runtimes take that file")],
    ],
    [
      "podman and cnitool read only .conflist",
      ["a/1.json", "a/2.conflist"],
      [taken("1.json", "Nomad takes that file, but podman and cnitool take this one")],
    ],
    [
      "the first of these",
      ["a/1.json", "a/3.conflist", "a/2.conflist"],
      [
        taken("1.json", "Nomad takes that file"),
        taken("1.json", "Nomad takes that file, but podman and cnitool take this one"),
      ],
    ],
    ["nobody reads the second", ["a/1.json", "a/2.conf"], [taken("1.json", "Nomad takes that file")]],
  ])("%s", (_, paths, expected) => {
    const files = Object.fromEntries(paths.map((path) => [path, same]));
    const nameless = JSON.stringify({ plugins: [{ type: "ptp" }] });
    const around = { "a/0.conflist": other, "a/01.conflist": nameless, "a/02.conflist": nameless };
    expect(found("duplicate-network", { ...around, ...files })).toEqual(expected);
  });
});

test.each<[string, string, string[]]>([
  ["no key twice", '{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}', []],
  ["a key twice", '{"a":1,\n"a":2}', ['"a": the key a is ignored, because line 2 has it again. Delete one of them']],
  [
    "three times, in a list",
    '{"x":[1,{"b":1,\n"b":2,\n"b":3}]}',
    [
      '"b": the key b is ignored, because line 3 has it again. Delete one of them',
      '"b": the key b is ignored, because line 3 has it again. Delete one of them',
    ],
  ],
  ["a file that is not JSON", '{"a":1,"a":2', []],
  ["an empty file", "", []],
])("duplicate-key: %s", (_, json, expected) => {
  expect(found("duplicate-key", { "zone.conflist": json })).toEqual(expected);
});

describe("early-firewall", () => {
  const firewall = { type: "firewall" };
  const ipam = { type: "dhcp" };
  const first = { type: "ptp-wrapper", ipam };
  const second = { type: "bridge-wrapper", ipam, wrapper: { ifName: "eth1" } };
  const third = { type: "macvlan-wrapper", ipam, wrapper: { ifName: "eth2" } };
  const missed = (ifName: string, type: string, last: string) =>
    `"firewall": firewall makes no rules for ${ifName}, which ${type} makes later, and CHECK misses them. Put firewall after ${last}`;

  test.each<Row>([
    ["between two", [first, firewall, second], {}, [missed("eth1", "bridge-wrapper", "bridge-wrapper")]],
    ["before two", [first, firewall, second, third], {}, [missed("eth1", "bridge-wrapper", "macvlan-wrapper")]],
    ["behind both", [first, second, firewall], {}, []],
    ["before all: it is no interface plugin's", [firewall, first], {}, []],
    ["wrapped", [first, { type: "firewall-wrapper" }, second], {}, []],
    ["another plugin", [first, { type: "tuning" }, second], {}, []],
    ["the later one has no address", [first, firewall, { ...second, ipam: {} }], {}, []],
    [
      "only the last has an address",
      [first, firewall, { ...second, ipam: {} }, third],
      {},
      [missed("eth2", "macvlan-wrapper", "macvlan-wrapper")],
    ],
    ["no CHECK", [first, firewall, second], { disableCheck: true }, []],
    ["no CHECK in this version", [first, firewall, second], { cniVersion: "0.3.1" }, []],
    ["one name twice", [first, firewall, { type: "bridge-wrapper", ipam }], {}, []],
  ])("%s", (_, plugins, own, expected) => {
    expect(foundIn("early-firewall", plugins, own)).toEqual(expected);
  });
});

describe("host-address", () => {
  const single = fixed([{ address: "10.1.0.2/32" }]);
  const missing = (address: string, type = "macvlan") =>
    `"${address}": CHECK of ${type} looks for a route to ${address}, and there is none. Add { "dst": "${address}" } to its routes`;
  const routed = (...dsts: string[]) =>
    fixed(
      [{ address: "10.1.0.2/32" }],
      dsts.map((dst) => ({ dst })),
    );

  test.each<Row>([
    ["no route", [single], {}, [missing("10.1.0.2/32")]],
    ["its route", [routed("10.1.0.2/32")], {}, []],
    ["its route behind others", [routed("0.0.0.0/0", "10.1.0.2/32")], {}, []],
    ["a wider route", [routed("10.1.0.2/31", "0.0.0.0/0")], {}, [missing("10.1.0.2/32")]],
    ["another's route", [routed("10.1.0.3/32")], {}, [missing("10.1.0.2/32")]],
    [
      "two addresses",
      [fixed([{ address: "10.1.0.2/24" }, { address: "10.1.0.3/32" }, { address: "10.1.0.4/32" }])],
      {},
      [missing("10.1.0.3/32"), missing("10.1.0.4/32")],
    ],
    ["IPv6", [fixed([{ address: "fd00::1/128" }, { address: "fd00::2/32" }])], {}, []],
    ["no address", [fixed([{ address: "here" }, {}])], {}, []],
    ["no CHECK", [single], { disableCheck: true }, []],
    ["a chained plugin", [{ ...single, type: "tuning" }], {}, []],
    ["host-local", [{ ...single, ipam: { ...single.ipam, type: "host-local" } }], {}, []],
    ["a program decides", [{ ...single, type: "macvlan-wrapper", wrapper: { jq: "." } }], {}, []],
    ["wrapped", [{ ...single, type: "macvlan-wrapper" }], {}, [missing("10.1.0.2/32", "macvlan-wrapper")]],
  ])("%s", (_, plugins, own, expected) => {
    expect(foundIn("host-address", plugins, own)).toEqual(expected);
  });
});

describe("bandwidth-without-veth", () => {
  const bandwidth = { type: "bandwidth", ingressRate: 1 };
  const macvlan = { type: "macvlan" };
  const bridge = { type: "bridge-wrapper", wrapper: { ifName: "eth1" } };
  const noPair = (marked: string, ifName: string, hint: string, of = "macvlan") =>
    `"${marked}": bandwidth needs a veth pair, and ${ifName} is an interface of ${of}. ${hint}`;
  const [useAnother, useIt] = ["Use it with bridge or ptp", 'Use bandwidth-wrapper with "ifName": "eth1"'];
  const old = { cniVersion: "0.3.1" };

  test.each<Row>([
    ["macvlan", [macvlan, bandwidth], {}, [noPair("bandwidth", "eth0", useAnother)]],
    ["a list that has a pair", [macvlan, bridge, bandwidth], {}, [noPair("bandwidth", "eth0", useIt)]],
    [
      "a later pair",
      [macvlan, bandwidth, { ...bridge, type: "ptp-wrapper" }],
      {},
      [noPair("bandwidth", "eth0", useIt)],
    ],
    [
      "its name",
      [macvlan, bridge, { type: "bandwidth-wrapper", wrapper: { ifName: "eth0" } }],
      {},
      [noPair("eth0", "eth0", useIt)],
    ],
    ["the pair's name", [macvlan, bridge, { type: "bandwidth-wrapper", wrapper: { ifName: "eth1" } }], {}, []],
    ["bridge", [{ type: "bridge" }, bandwidth], {}, []],
    ["ptp", [{ type: "ptp" }, bandwidth], {}, []],
    ["a plugin that nobody knows", [{ type: "bridge2" }, bandwidth], {}, []],
    ["a creator that nobody knows", [{ type: "x-wrapper", wrapper: { role: "creator" } }, bandwidth], {}, []],
    ["no interface", [bandwidth], {}, []],
    ["another plugin", [macvlan, { type: "tuning" }], {}, []],
    ["a program decides", [macvlan, { type: "bandwidth-wrapper", wrapper: { jq: "." } }], {}, []],
    ["no limit: its CHECK fails", [macvlan, { type: "bandwidth" }], {}, [noPair("bandwidth", "eth0", useAnother)]],
    ["no limit and no CHECK", [macvlan, { type: "bandwidth" }], old, []],
    ["limits of nothing", [macvlan, { type: "bandwidth", ingressRate: 0, egressRate: 0 }], old, []],
    ["a limit out", [macvlan, { type: "bandwidth", egressRate: 1 }], old, [noPair("bandwidth", "eth0", useAnother)]],
    ["a limit in", [macvlan, { type: "bandwidth", ingressRate: 1 }], old, [noPair("bandwidth", "eth0", useAnother)]],
  ])("%s", (_, plugins, own, expected) => {
    expect(foundIn("bandwidth-without-veth", plugins, own)).toEqual(expected);
  });
});

describe("advertised-interface", () => {
  const ipam = { type: "dhcp" };
  const first = { type: "ptp-wrapper", ipam };
  const named = (ifName: string, own: object = {}) => ({ type: "bridge-wrapper", ipam, wrapper: { ifName }, ...own });
  const warning = (ifName: string, free: string) =>
    `"${ifName}": Nomad advertises the address of ${ifName} instead of eth0, because its name sorts first. Use a name that sorts after eth0, such as "${free}"`;

  test.each<Row>([
    ["sorts before", [first, named("backup")], {}, [warning("backup", "eth1")]],
    ["sorts before, and eth1 is taken", [first, named("eth1"), named("Eth")], {}, [warning("Eth", "eth2")]],
    ["sorts behind", [first, named("eth1")], {}, []],
    ["is the runtime's", [first, named("eth0")], {}, []],
    ["has no address", [first, named("backup", { ipam: {} })], {}, []],
    ["nobody has the runtime's name", [named("backup"), named("eth1")], {}, []],
    ["the runtime's has no address", [{ ...first, ipam: {} }, named("backup")], {}, []],
    ["a chained plugin", [first, { type: "tuning-wrapper", ipam, wrapper: { ifName: "backup" } }], {}, []],
    ["is no name", [first, named("a/b")], {}, []],
  ])("an interface that %s", (_, plugins, own, expected) => {
    expect(foundIn("advertised-interface", plugins, own)).toEqual(expected);
  });
});

describe("device-name", () => {
  const is = (marked: string, name: string) =>
    `"${marked}": ${name} is the plugin's own bridge, too. Change ifName or bridge`;
  const bridge = (name: string, ifName?: string) => ({
    ...{ type: "bridge-wrapper", bridge: name },
    ...(ifName !== undefined && { wrapper: { ifName } }),
  });

  test.each<Row>([
    ["its interface", [bridge("disc0", "disc0")], {}, [is("disc0", "disc0")]],
    ["bridge's own default", [{ type: "bridge-wrapper", wrapper: { ifName: "cni0" } }], {}, [is("cni0", "cni0")]],
    ["another", [bridge("disc0", "eth1")], {}, []],
    ["the runtime's, which it does not know at the first place", [bridge("eth0")], {}, []],
    ["the runtime's at a later place", [{ type: "ptp-wrapper" }, bridge("eth0")], {}, [is("bridge", "eth0")]],
    ["plain", [{ type: "ptp-wrapper" }, { type: "bridge", bridge: "eth0" }], {}, []],
    ["no bridge", [{ type: "macvlan-wrapper", bridge: "disc0", wrapper: { ifName: "disc0" } }], {}, []],
  ])("the bridge's name is that of %s", (_, plugins, own, expected) => {
    expect(foundIn("device-name", plugins, own)).toEqual(expected);
  });
});

describe("host-subnet", () => {
  const link = (ifname: string, local: string, kind?: string): Link => ({
    ...{ ifindex: 2, ifname, ...(kind !== undefined && { linkinfo: { info_kind: kind } }) },
    addr_info: [
      { local: "fe80::1", prefixlen: 64, scope: "link" },
      { local, prefixlen: 24, scope: "global" },
    ],
  });
  const lan = link("ens18", "10.1.0.9");
  const subnet = "10.1.0.0/24";
  const taken = (ifname = "ens18", address = "10.1.0.9/24") =>
    `"${subnet}": eth0 can get ${address}, which ${ifname} of this host has. Leave it out with rangeStart and rangeEnd`;
  const routed = (ifname = "ens18", address = "10.1.0.9/24") =>
    `"${subnet}": ${ifname} of this host has ${address}, an address in the subnet of eth0: the host routes the subnet to one of the two only. Use another subnet`;
  const onLan = (range: object = {}, own: object = {}) =>
    leased([{ subnet, ...range }], [], { master: "ens18", ...own });
  const onBridge = (own: object = {}) =>
    leased([{ subnet }], [], { type: "bridge", bridge: "disc0", isGateway: true, ...own });

  test.each<[string, Plugin, Link[] | undefined, string[]]>([
    ["macvlan gives out the master's address", onLan(), [lan], [taken()]],
    ["ipvlan, too", onLan({}, { type: "ipvlan" }), [lan], [taken()]],
    ["its first address", onLan({ rangeStart: "10.1.0.9" }), [lan], [taken()]],
    ["its last address", onLan({ rangeEnd: "10.1.0.9" }), [lan], [taken()]],
    ["it begins behind it", onLan({ rangeStart: "10.1.0.10" }), [lan], []],
    ["it ends before it", onLan({ rangeEnd: "10.1.0.8" }), [lan], []],
    ["it is the gateway", onLan({ gateway: "10.1.0.9" }), [lan], []],
    ["another interface has it", onLan(), [link("ens19", "10.1.0.9"), link("ens18", "10.9.0.9")], []],
    ["an address of IPv6", onLan(), [link("ens18", "::a01:9")], []],
    ["the master is in the container", onLan({}, { linkInContainer: true }), [lan], []],
    ["a program decides", onLan({}, { type: "macvlan-wrapper", wrapper: { jq: "." } }), [lan], []],
    ["no --host", onLan(), undefined, []],
    ["a chained plugin", onLan({}, { type: "tuning" }), [lan], []],
    ["vlan is no part of a LAN's subnet", onLan({}, { type: "vlan" }), [lan], []],
    ["bridge routes the subnet of another interface", onBridge(), [link("lo", "127.0.0.1"), lan], [routed()]],
    ["the first of two", onBridge(), [link("wg0", "10.1.0.7", "wireguard"), lan], [routed("wg0", "10.1.0.7/24")]],
    ["a gateway for all", onBridge({ isGateway: false, isDefaultGateway: true }), [lan], [routed()]],
    ["no gateway", onBridge({ isGateway: false }), [lan], []],
    ["a VLAN of the bridge", onBridge({ vlan: 7 }), [lan], []],
    ["its own address", onBridge(), [link("disc0", "10.1.0.1", "bridge")], []],
    ["the loopback's", onBridge(), [link("lo", "10.1.0.9")], []],
    ["a dummy's", onBridge(), [link("any", "10.1.0.9", "dummy")], []],
    ["a veth's", onBridge(), [link("any", "10.1.0.9", "veth")], []],
    ["another subnet's", onBridge(), [link("ens18", "10.2.0.9")], []],
    ["ptp", onBridge({ type: "ptp" }), [lan], [routed()]],
    ["ptp without a gateway", onBridge({ type: "ptp", isGateway: false }), [lan], [routed()]],
  ])("%s", (_, plugin, links, expected) => {
    expect(foundIn("host-subnet", [plugin], {}, { links })).toEqual(expected);
  });
});

const anObject = 'A list is an object: { "cniVersion": "1.0.0", "name": "...", "plugins": [...] }';
test.each<[string, string, string[]]>([
  ["an object", "{}", []],
  ["a list", "[]", [`[: the file has no JSON object. ${anObject}`]],
  [
    "nothing",
    " \n",
    ['{}: the file is empty. Write a list: { "cniVersion": "1.0.0", "name": "...", "plugins": [...] }'.slice(2)],
  ],
  ["a mark", "\uFEFF{}", [": the file begins with a byte order mark. Save it as UTF-8 without a byte order mark"]],
  ["a comment", '{"a":1 /* x */}', ["/* x */: JSON has no comments. Delete the comment"]],
  ["no comma", '{"a":1 "b":2}', ['"b": a comma is missing before this. Add a comma after the previous entry']],
  ["no colon", '{"a" 1}', ["1: a colon is missing before this. Write a colon between the key and its value"]],
  ["a comma at the end", '{"a":1,}', ["}: a key is expected here. Delete the comma before it, or add the key"]],
  [
    "a comma at a list's end",
    '{"a":[1,]}',
    ["]: a value is expected here. Delete the comma before it, or add the value"],
  ],
  ["no brace", '{"a":1\n', [": a closing brace is missing. Add } where the object ends"]],
  ["no bracket", '{"a":[1', [": a closing bracket is missing. Add ] where the list ends"]],
  ["two objects", "{} {}", ["{: there is more text after the object. Delete it: a file has one object"]],
  ["a word", '{"a":yes}', ["yes: this is not a JSON value. Put text into double quotes"]],
  ["a job", 'job "web" {}', [`job: this is not a JSON value. ${anObject}`]],
  ["bytes", '{"a":\uFFFD}', ["\uFFFD: the file is not UTF-8 text. Save it as UTF-8"]],
  ["UTF-16", "\0{\0}", ["\0: the file is not UTF-8 text. Save it as UTF-8"]],
  ["a text without an end", '{"a":"b\n}', ['"b: this is not JSON (UnexpectedEndOfString). Fix the JSON here']],
])("invalid-json: %s", (_, json, expected) => {
  expect(found("invalid-json", { "zone.conflist": json })).toEqual(expected);
});

const ipam = { type: "dhcp" };
const eth1 = { ifName: "eth1" };
const caps = { portMappings: true };

/** A rule, and a row. */
type Coded = readonly [code: string, ...Row];

describe.each<Coded>([
  [
    "ignored-wrapper",
    "a plain plugin beside a wrapper",
    [{ type: "bridge-wrapper" }, { type: "portmap", wrapper: eth1 }],
    {},
    [
      '"wrapper": portmap is not a wrapper, so it does not read this block. Change the type to "portmap-wrapper", or delete the block',
    ],
  ],
  [
    "ignored-wrapper",
    "the only interface plugin, beside a wrapper",
    [{ type: "bridge", wrapper: eth1 }, { type: "portmap-wrapper" }],
    {},
    [
      '"wrapper": bridge is not a wrapper, so it does not read this block. Change the type to "bridge-wrapper", or delete the block',
    ],
  ],
  [
    "ignored-wrapper",
    "one of several interface plugins",
    [{ type: "bridge", wrapper: eth1 }, { type: "ptp-wrapper" }],
    {},
    [],
  ],
  ["ignored-wrapper", "no wrapper at all", [{ type: "portmap", wrapper: eth1 }], {}, []],
  ["ignored-wrapper", "no block", [{ type: "bridge-wrapper" }, { type: "portmap" }], {}, []],
  [
    "interface-not-made",
    "a later plugin makes it",
    [{ type: "ptp-wrapper" }, { type: "sbr-wrapper", wrapper: eth1 }, { type: "bridge-wrapper", wrapper: eth1 }],
    {},
    ['"eth1": no plugin before sbr-wrapper makes eth1. Put it after bridge-wrapper, which makes eth1'],
  ],
  [
    "interface-not-made",
    "nobody makes it",
    [
      { type: "ptp-wrapper" },
      { type: "bridge-wrapper", wrapper: eth1 },
      { type: "sbr-wrapper", wrapper: { ifName: "eth2" } },
    ],
    {},
    ['"eth2": no plugin before sbr-wrapper makes eth2. Earlier plugins make eth0, eth1'],
  ],
  [
    "interface-not-made",
    "it stands before all",
    [{ type: "sbr-wrapper" }],
    {},
    ['"sbr-wrapper": no plugin before sbr-wrapper makes eth0. Put it after an interface plugin'],
  ],
  [
    "interface-not-made",
    "a plain one stands before all",
    [{ type: "sbr" }, { type: "ptp" }],
    {},
    ['"sbr": no plugin before sbr makes eth0. Put it after ptp, which makes eth0'],
  ],
  [
    "interface-not-made",
    "a plain one at another place",
    [{ type: "ptp-wrapper", wrapper: eth1 }, { type: "sbr" }],
    {},
    [],
  ],
  [
    "interface-not-made",
    "a later plugin makes it, behind another",
    [
      { type: "ptp-wrapper" },
      { type: "sbr-wrapper", wrapper: { ifName: "eth2" } },
      { type: "bridge-wrapper", wrapper: eth1 },
      { type: "macvlan-wrapper", wrapper: { ifName: "eth2" } },
    ],
    {},
    ['"eth2": no plugin before sbr-wrapper makes eth2. Put it after macvlan-wrapper, which makes eth2'],
  ],
  [
    "interface-not-made",
    "a later plugin makes another one",
    [{ type: "sbr-wrapper" }, { type: "bridge-wrapper", wrapper: eth1 }],
    {},
    ['"sbr-wrapper": no plugin before sbr-wrapper makes eth0. Put it after an interface plugin'],
  ],
  ["interface-not-made", "an unknown plugin may make it", [{ type: "acme" }, { type: "sbr-wrapper" }], {}, []],
  [
    "disabled-check",
    "it is set",
    [{ type: "ptp" }, { type: "loopback" }],
    { disableCheck: true },
    [
      "true: with disableCheck, the runtime does not notice a lost interface, address or route. Delete the key, and wrap all interface plugins",
    ],
  ],
  ["disabled-check", "it is not set", [{ type: "ptp" }], { disableCheck: false }, []],
  ["disabled-check", "a plugin may have no CHECK", [{ type: "ptp" }, { type: "acme" }], { disableCheck: true }, []],
  [
    "duplicate-portmap",
    "two plain ones",
    [
      { type: "portmap", capabilities: caps },
      { type: "portmap", capabilities: caps },
    ],
    {},
    [
      '"portmap": this portmap and the portmap before it publish the same ports, and only the first one\'s rules count. Divide the ports with "ports" in their wrapper blocks: "only" in one, "except" in the other',
    ],
  ],
  [
    "duplicate-portmap",
    "one with ports",
    [
      { type: "portmap", capabilities: caps },
      { type: "portmap-wrapper", capabilities: caps, wrapper: { ports: { only: [443] } } },
    ],
    {},
    [
      '{"only":[443]}: this portmap-wrapper and the portmap before it publish the same ports, and only the first one\'s rules count. Divide the ports with "ports" in their wrapper blocks: "only" in one, "except" in the other',
    ].map((line) => line.replace('{"only":[443]}', "{")),
  ],
  [
    "duplicate-portmap",
    "both with ports, of three",
    [
      { type: "portmap-wrapper", capabilities: caps, wrapper: { ports: { only: [80] } } },
      { type: "portmap-wrapper", capabilities: caps, wrapper: { ports: { only: ["443-445"] } } },
      { type: "portmap-wrapper", capabilities: caps, wrapper: { ports: { only: [444] } } },
    ],
    {},
    [
      '{: this portmap-wrapper and the portmap-wrapper before it publish container port 444, and only the first one\'s rules count. Divide the ports with "ports" in their wrapper blocks: "only" in one, "except" in the other',
    ],
  ],
  ...[
    { conditionsV4: ["-s", "10.0.0.0/8"] },
    { conditionsV6: ["-s", "fd00::/8"] },
    { capabilities: {} },
    { type: "portmap-wrapper", wrapper: { jq: "." } },
    { type: "bandwidth" },
  ].map((own): Coded => {
    const [one, other] = [
      { type: "portmap", capabilities: caps },
      { type: "portmap", capabilities: caps, ...own },
    ];
    return ["duplicate-portmap", `the second has ${JSON.stringify(own)}`, [one, other], {}, []];
  }),
  ...(
    [
      [{ type: "macvlan-wrapper" }, true],
      [{ type: "macvlan-wrapper", ipam: { type: "host-local", dataDir: "/srv/run/x" } }, true],
      [{ type: "macvlan-wrapper", ipam: { type: "host-local", dataDir: "/var/run/cni" } }, false],
      [{ type: "macvlan-wrapper", ipam: { type: "host-local", dataDir: "/dev/shm/cni" } }, false],
      [{ type: "macvlan-wrapper", ipam: { type: "dhcp" } }, false],
      [{ type: "macvlan-wrapper", wrapper: { recover: "own" } }, false],
      [{ type: "tuning-wrapper" }, false],
      [{ type: "macvlan" }, false],
    ] as const
  ).map(([own, isKept]): Coded => {
    const plugin = { ipam: { type: "host-local" }, wrapper: { recover: "never" }, ...own };
    const kept =
      '"never": after a reboot, the leases are still there and nothing frees them. Leave recover out, or set "dataDir": "/var/run/cni"';
    return ["kept-leases", JSON.stringify(own), [plugin, { type: "sbr-wrapper" }], {}, isKept ? [kept] : []];
  }),
  ...(
    [
      ["/tmp", "systemd-tmpfiles can delete the leases of running containers here"],
      ["/var/tmp/cni", "systemd-tmpfiles can delete the leases of running containers here"],
      ["cni", "the leases are in a directory that depends on where the runtime was started"],
      ["/srv/tmp", undefined],
      ["/tmpfs/cni", undefined],
      ["", undefined],
      [7, undefined],
    ] as const
  ).flatMap(([dataDir, message]): Coded[] => {
    const plugin = { type: "macvlan-wrapper", ipam: { type: "host-local", dataDir } };
    const expected = message ? [`"${dataDir}": ${message}. Leave dataDir out, or use /var/run/cni`] : [];
    return [
      ["lease-directory", JSON.stringify(dataDir), [plugin], {}, expected],
      ["lease-directory", `${dataDir}, a program decides`, [{ ...plugin, wrapper: { jq: "." } }], {}, []],
      ["lease-directory", `${dataDir} of another plugin`, [{ ...plugin, ipam: { type: "acme", dataDir } }], {}, []],
    ];
  }),
  ...(
    [
      [{ type: "ipvlan" }, {}, true],
      [{ type: "ipvlan", master: "" }, {}, true],
      [{ type: "ipvlan", master: "ens18" }, {}, false],
      [{ type: "macvlan" }, {}, false],
      [{ type: "ipvlan" }, { disableCheck: true }, false],
      [{ type: "ipvlan-wrapper", wrapper: { jq: "." } }, {}, false],
    ] as const
  ).map(([plugin, own, isFound]): Coded => {
    const message =
      '"ipvlan": ipvlan has no master: ADD needs a default route on the host, and CHECK does not look for one. Set "master" to an interface of the host';
    return ["ipvlan-master", JSON.stringify([plugin, own]), [plugin], own, isFound ? [message] : []];
  }),
  ...Object.entries({
    name: 'Name the network, as in "name": "zone"',
    cniVersion: 'Write the version as text, as in "cniVersion": "1.0.0"',
    cniVersions: 'Write a list, as in "cniVersions": ["0.4.0", "1.0.0"]',
    disableCheck: "Write true or false",
    disableGC: "Write true or false",
    loadOnlyInlinedPlugins: "Write true or false",
  }).map(([key, hint]): Coded => {
    const needs = { name: "a string", cniVersion: "a string", cniVersions: "a list" }[key] ?? "true or false";
    return ["list-shape", key, [{ type: "ptp" }], { [key]: 7 }, [`7: ${key} must be ${needs}. ${hint}`]];
  }),
  ...(
    [
      [{ type: "portmap" }, "type", "portmap gets no ports from the runtime, so it publishes none", caps],
      [
        { type: "portmap", capabilities: {} },
        "{",
        "portmap gets no ports from the runtime, so it publishes none",
        caps,
      ],
      [
        { type: "bandwidth", ingressRate: 0 },
        "type",
        "bandwidth has no rates and gets none from the runtime, so it limits nothing",
        { bandwidth: true },
      ],
      [{ type: "portmap", capabilities: caps }],
      [{ type: "portmap", capabilities: { portmappings: true } }],
      [{ type: "portmap", capabilities: 7 }],
      [{ type: "portmap", runtimeConfig: { portMappings: [] } }],
      [
        { type: "portmap", runtimeConfig: {} },
        "type",
        "portmap gets no ports from the runtime, so it publishes none",
        caps,
      ],
      [{ type: "portmap-wrapper", wrapper: { jq: "." } }],
      [{ type: "bandwidth", egressRate: 1 }],
      [{ type: "bandwidth", runtimeConfig: {} }],
      [{ type: "tuning" }],
      [{ type: "constructor" }],
    ] as const
  ).map(([plugin, at, message, capabilities]): Coded => {
    const hint = JSON.stringify(capabilities ?? {})
      .replace(/[{}]/g, "")
      .replace(":", ": ");
    const marked = at === "type" ? JSON.stringify(plugin.type) : at;
    const expected = message ? [`${marked}: ${message}. Add "capabilities": { ${hint} }`] : [];
    return ["missing-capability", JSON.stringify(plugin), [plugin], {}, expected];
  }),
  ...(
    [
      [[{ type: "ptp", ipam }, { type: "vrf" }], "vrf", "ptp", "vrf", "eth0"],
      [[{ type: "ptp", ipam }, { type: "vrf-wrapper" }], "ptp", "ptp", "vrf-wrapper", "eth0"],
      [[{ type: "ptp-wrapper", ipam }, { type: "sbr" }], "sbr", "ptp-wrapper", "sbr", "eth0"],
      [[{ type: "ptp-wrapper", ipam }, { type: "sbr-wrapper" }]],
      [
        [
          { type: "ptp", ipam },
          { type: "sbr", table: 7 },
        ],
      ],
      [
        [
          { type: "ptp", ipam },
          { type: "vrf", table: 7 },
        ],
        "vrf",
        "ptp",
        "vrf",
        "eth0",
      ],
      [[{ type: "ptp" }, { type: "sbr" }]],
      [[{ type: "ptp", ipam }, { type: "tuning" }]],
      [[{ type: "sbr" }]],
      [[{ type: "ptp", ipam }, { type: "bridge", ipam }, { type: "sbr-wrapper" }]],
    ] as const
  ).flatMap(([plugins, plain, creator, mover, ifName]): Coded[] => {
    const message = `"${plain}": CHECK of ${creator} fails, because ${mover} moves the routes of ${ifName}. Change the type to "${plain}-wrapper"`;
    const types = plugins.map(({ type }) => type).join();
    return [
      ["moved-routes", JSON.stringify(plugins), plugins, {}, plain ? [message] : []],
      ["moved-routes", `${types} without CHECK`, plugins, { disableCheck: true }, []],
    ];
  }),
  ...(
    [
      [{ cniVersion: "0.3.1" }, "cniVersion 0.3.1"],
      [{ cniVersion: "0.4.0" }],
      [{ cniVersion: "1.0.0" }],
      [{ cniVersion: "0.3.1", cniVersions: ["1.0.0"] }],
      [{ cniVersion: "9.9.9" }],
    ] as const
  ).flatMap(([own, subject]): Coded[] => {
    const message = `"0.3.1": ${subject} has no CHECK, and Nomad replaces such allocations when a client restarts. Set "cniVersion": "1.0.0"`;
    const name = JSON.stringify(own);
    return [
      ["no-check-version", name, [{ type: "ptp-wrapper" }], own, subject ? [message] : []],
      ["no-check-version", `${name}, no wrapper`, [{ type: "ptp" }], own, []],
      ["no-check-version", `${name}, firewall needs more`, [{ type: "ptp-wrapper" }, { type: "firewall" }], own, []],
    ];
  }),
  ...(
    [
      [[{ type: "ptp" }], "ptp"],
      [[{ type: "ipvlan-wrapper" }], "ipvlan-wrapper"],
      [[{ type: "ptp", ipam }]],
      [[{ type: "macvlan" }]],
      [[{ type: "ptp-wrapper", wrapper: { jq: "." } }]],
      [[{ type: "acme" }, { type: "ipvlan" }]],
      [[{ type: "acme" }, { type: "ptp" }], "ptp"],
      [[{ type: "vlan" }]],
    ] as const
  ).map(([plugins, type]): Coded => {
    const message = `"${type}": ${type} has no ipam, and makes no interface without an address. Add "ipam": { "type": "host-local", "ranges": [[{ "subnet": "..." }]] }`;
    return ["no-ipam", JSON.stringify(plugins), plugins, {}, type ? [message] : []];
  }),
  ...(
    [
      [[{ type: "ptp" }, { type: "ptp" }, { type: "bandwidth" }], "bandwidth"],
      [[{ type: "ptp" }, { type: "ptp" }, { type: "tuning", mtu: 9 }], "tuning"],
      [[{ type: "ptp" }, { type: "ptp" }, { type: "tuning", mac: "x" }], "tuning"],
      [[{ type: "ptp" }, { type: "ptp" }, { type: "tuning", promisc: true }], "tuning"],
      [[{ type: "ptp" }, { type: "ptp" }, { type: "tuning", allmulti: true }], "tuning"],
      [[{ type: "ptp" }, { type: "ptp" }, { type: "tuning", txQLen: 9 }], "tuning"],
      [[{ type: "ptp" }, { type: "ptp" }, { type: "tuning", sysctl: { "net.ipv4.conf.IFNAME.x": "1" } }], "tuning"],
      [[{ type: "ptp" }, { type: "ptp" }, { type: "tuning", sysctl: { "net.core.somaxconn": "1" } }]],
      [[{ type: "ptp" }, { type: "ptp" }, { type: "tuning", sysctl: null, promisc: false }]],
      [[{ type: "ptp" }, { type: "ptp" }, { type: "bandwidth-wrapper" }]],
      [[{ type: "ptp" }, { type: "ptp" }, { type: "portmap", mtu: 9 }]],
      [[{ type: "ptp" }, { type: "bandwidth" }]],
    ] as const
  ).map(([plugins, type]): Coded => {
    const message = `"${type}": ${type} acts on eth0 only, and the list makes eth0, eth0. Use ${type}-wrapper, and set wrapper.ifName if another interface is meant`;
    return ["plain-meta-interface", JSON.stringify(plugins), plugins, {}, type ? [message] : []];
  }),
  ...(
    [
      [{ type: "ptp-wrapper", wrapper: { ifName: "eth0" } }, true],
      [{ type: "ptp-wrapper", wrapper: eth1 }, false],
      [{ type: "ptp-wrapper" }, false],
    ] as const
  ).map(([plugin, isFound]): Coded => {
    const message = `"eth0": eth0 is the runtime's own name. Leave ifName out`;
    return ["runtimes-own-name", JSON.stringify(plugin), [plugin], {}, isFound ? [message] : []];
  }),
  ...(
    [
      [{ args: "keep" }, {}, '"args": eth0 has the runtime\'s name, so it gets all requests anyway. Leave args out'],
      [{ args: "keep", ...eth1 }, {}],
      [{ args: {} }, {}, '"args": args maps no key. Leave args out'],
      [{ args: { IP: "X" } }, {}],
      [{ args: { ip: "X" } }, {}, '"ip": macvlan does not know the key ip of CNI_ARGS. Write "IP"'],
      [{ args: { MAC: "X", IgnoreUnknown: "X" } }, {}],
      [{ args: { ZIP: "X" } }, {}, '"ZIP": macvlan does not know the key ZIP of CNI_ARGS. It knows MAC and IP'],
      [{ args: { GATEWAY: "X" } }, { ipam: { type: "static" } }],
      [
        { args: { IP: "X" } },
        { ipam: { type: "dhcp" } },
        '"IP": macvlan does not know the key IP of CNI_ARGS. It knows MAC',
      ],
      [
        { args: { IP: "X" } },
        { type: "ptp-wrapper", ipam: {} },
        '"IP": ptp does not know the key IP of CNI_ARGS. It knows none, so leave args out',
      ],
      [{ args: { ZIP: "X" } }, { ipam: { type: "acme" } }],
      [{ args: { ZIP: "X" }, jq: "." }, {}],
      [{ args: { ZIP: "X" } }, { type: "acme-wrapper" }],
      [{ args: 7 }, {}],
    ] as const
  ).map(([wrapper, own, message]): Coded => {
    const plugin = { type: "macvlan-wrapper", ipam: { type: "host-local" }, wrapper, ...own };
    return ["useless-args", JSON.stringify([wrapper, own]), [plugin], {}, message ? [message] : []];
  }),
  ...(
    [
      [{ only: [] }, {}, '"ports": portmap-wrapper publishes no port at all. Name a port, or remove the plugin'],
      [
        { except: ["1-65535"] },
        {},
        '"ports": portmap-wrapper publishes no port at all. Name a port, or remove the plugin',
      ],
      [{ only: [80] }, { capabilities: {} }],
      [{ only: [80] }, { type: "acme-wrapper" }],
      [
        { only: [80] },
        { type: "acme-wrapper", capabilities: {} },
        '"ports": acme-wrapper gets no port mappings, so there is nothing to select. Leave ports out',
      ],
      [{ only: [] }, { type: "portmap" }],
      [undefined, {}],
    ] as const
  ).map(([ports, own, message]): Coded => {
    const plugin = { type: "portmap-wrapper", capabilities: caps, wrapper: { ports }, ...own };
    return [
      "useless-ports",
      JSON.stringify([ports, own]),
      [plugin, { type: "ptp-wrapper" }],
      {},
      message ? [message] : [],
    ];
  }),
])("%s", (code, what, plugins, own, expected) => {
  test(what, () => {
    expect(foundIn(code, plugins, own)).toEqual(expected);
  });
});

describe.each<Coded>([
  ...(
    [
      [{ dst: "0.0.0.0/0" }, { dst: "0.0.0.0/0" }, "IPv4"],
      [{ dst: "::/0" }, { dst: "::/0" }, "IPv6"],
      [{ dst: "::/0" }, { dst: "0.0.0.0/0" }],
      [{ dst: "0.0.0.0/0", priority: 7 }, { dst: "0.0.0.0/0" }],
      [{ dst: "0.0.0.0/0", priority: 0 }, { dst: "0.0.0.0/0" }, "IPv4"],
      [{ dst: "0.0.0.0/0", table: 7 }, { dst: "0.0.0.0/0" }],
      [{ dst: "0.0.0.0/1" }, { dst: "0.0.0.0/0" }],
    ] as const
  ).flatMap(([one, other, version]): Coded[] => {
    const first = { type: "macvlan-wrapper", ipam: { type: "host-local", routes: [one] } };
    const second = { type: "ptp-wrapper", wrapper: eth1, ipam: { type: "host-local", routes: [other] } };
    const message = `"${other.dst}": eth1 has a default route for ${version}, and so has eth0. Keep the one that the container needs`;
    const name = JSON.stringify([one, other]);
    const [sbr, program] = [{ type: "sbr-wrapper" }, { wrapper: { ...eth1, jq: "." } }];
    return [
      ["several-default-routes", name, [first, second], {}, version ? [message] : []],
      ["several-default-routes", `${name}, sbr`, [first, sbr, second], {}, []],
      ["several-default-routes", `${name}, tuning`, [first, { type: "tuning" }, second], {}, version ? [message] : []],
      ["several-default-routes", `${name}, a program decides`, [first, { ...second, ...program }], {}, []],
      ["several-default-routes", `${name} of one interface`, [first, { ...second, wrapper: {} }], {}, []],
    ];
  }),
  ...(
    [
      [{ isDefaultGateway: true }, ["10.1.0.0/24", "fd00::/64"], ["IPv4", "IPv6"]],
      [{ isDefaultGateway: true }, ["10.1.0.0/24"], ["IPv4"]],
      [{ isDefaultGateway: false }, ["10.1.0.0/24"], []],
      [{ isDefaultGateway: true, type: "ptp-wrapper" }, ["10.1.0.0/24"], []],
    ] as const
  ).map(([own, subnets, versions]): Coded => {
    const routes = ["0.0.0.0/0", "::/0"].map((dst) => ({ dst }));
    const first = { type: "macvlan-wrapper", ipam: { type: "host-local", routes } };
    const ranges = subnets.map((subnet) => [{ subnet }]);
    const second = { type: "bridge-wrapper", wrapper: eth1, ipam: { type: "host-local", ranges }, ...own };
    const messages = versions.map(
      (version) =>
        `"isDefaultGateway": eth1 has a default route for ${version}, and so has eth0. Keep the one that the container needs`,
    );
    return ["several-default-routes", JSON.stringify([own, subnets]), [first, second], {}, messages];
  }),
  ...[{ device: "ens18" }, { hwaddr: "x" }, { kernelpath: "x" }, { pciBusID: "x" }].map((device): Coded => {
    const [named] = Object.values(device);
    const message = `"${named}": host-device has taken ${named} already. Use another device`;
    const plugin = { type: "host-device", ...device };
    return ["shared-device", JSON.stringify(device), [plugin, plugin], {}, [message]];
  }),
  ...(
    [
      [
        { type: "host-device", device: "ens18" },
        { type: "host-device", device: "ens19" },
      ],
      [{ type: "host-device" }, { type: "host-device" }],
      [
        { type: "vlan", master: "ens18", vlanId: 7 },
        { type: "vlan", master: "ens18", vlanId: 7 },
        "7: ens18 has VLAN 7 once, and vlan makes it already. Use another vlanId",
      ],
      [
        { type: "vlan", master: "ens18", vlanId: 7 },
        { type: "vlan", master: "ens18", vlanId: 8 },
      ],
      [
        { type: "vlan", master: "ens18", vlanId: 7 },
        { type: "vlan", master: "ens19", vlanId: 7 },
      ],
      [
        { type: "vlan", master: "ens18", vlanId: 7 },
        { type: "macvlan", master: "ens18", vlanId: 7 },
      ],
      [
        { type: "macvlan", master: "ens18" },
        { type: "ipvlan", master: "ens18" },
        '"ens18": ens18 carries macvlan interfaces already, so it cannot carry ipvlan. Use another master, or macvlan for both',
      ],
      [
        { type: "ipvlan", master: "ens18" },
        { type: "macvlan", master: "ens18" },
        '"ens18": ens18 carries ipvlan interfaces already, so it cannot carry macvlan. Use another master, or ipvlan for both',
      ],
      [
        { type: "macvlan", master: "" },
        { type: "ipvlan", master: "" },
      ],
      [
        { type: "macvlan", master: "ens18", linkInContainer: true },
        { type: "ipvlan", master: "ens18" },
      ],
      [
        { type: "macvlan", master: "ens18" },
        { type: "macvlan", master: "ens18" },
      ],
      [
        { type: "macvlan", master: "ens18", mode: "passthru" },
        { type: "macvlan", master: "ens18" },
        '"ens18": with mode passthru, ens18 can carry one macvlan interface only. Use another master or mode',
      ],
      [
        { type: "macvlan", master: "ens18" },
        { type: "macvlan", master: "ens18", mode: "passthru" },
        '"ens18": with mode passthru, ens18 can carry one macvlan interface only. Use another master or mode',
      ],
      [
        { type: "ipvlan", master: "ens18", mode: "passthru" },
        { type: "ipvlan", master: "ens18" },
      ],
      [
        { type: "tuning", device: "x" },
        { type: "host-device", device: "x" },
      ],
      [
        { type: "macvlan-wrapper", master: "ens18", wrapper: { jq: "." } },
        { type: "ipvlan", master: "ens18" },
      ],
      [
        { type: "macvlan", master: "ens18" },
        { type: "ipvlan-wrapper", master: "ens18", wrapper: { jq: "." } },
      ],
    ] as const
  ).map(([one, other, message]): Coded => {
    return ["shared-device", JSON.stringify([one, other]), [one, other], {}, message ? [message] : []];
  }),
  ...(
    [
      [{ type: "bridge" }],
      [{ type: "Bridge" }],
      [
        { type: "a/b" },
        '"a/b": the type "a/b" must not contain a path separator. Write only the executable\'s name. Runtimes look for it in CNI_PATH',
      ],
      [{}, '{: the plugin has no type. Add "type": "..." with the name of the plugin\'s executable'],
      [{ type: 7 }],
    ] as const
  ).map(([plugin, message]): Coded => {
    return ["plugin-type", JSON.stringify(plugin), [plugin], {}, message ? [message] : []];
  }),
  ...[".", " . | . ", "# words\n. # more", ". .", ".a", "", 7].map((jq): Coded => {
    const isIdentity = [".", " . | . ", "# words\n. # more"].includes(String(jq));
    const message = '"jq": this jq program returns its input. Leave jq out';
    return ["useless-jq", String(jq), [{ type: "ptp-wrapper", wrapper: { jq } }], {}, isIdentity ? [message] : []];
  }),
  ["useless-jq", "of a plain plugin", [{ type: "acme", wrapper: { jq: "." } }], {}, []],
  [
    "useless-slaac",
    "a chained plugin",
    [{ type: "sbr-wrapper", wrapper: { slaac: {}, ...eth1 } }],
    {},
    [
      '"slaac": sbr-wrapper makes no interface, so nothing waits for an address. Move slaac to the plugin that makes eth1',
    ],
  ],
  ["useless-slaac", "an interface plugin", [{ type: "ptp-wrapper", wrapper: { slaac: {} } }], {}, []],
  ["useless-slaac", "an unknown plugin", [{ type: "acme-wrapper", wrapper: { slaac: {} } }], {}, []],
  ["useless-slaac", "a plain one", [{ type: "sbr", wrapper: { slaac: {} } }, { type: "ptp-wrapper" }], {}, []],
  ["useless-slaac", "none", [{ type: "sbr-wrapper", wrapper: {} }], {}, []],
  ...(
    [
      [
        { type: "ptp-wrapper", wrapper: { role: "meta" } },
        '"meta": ptp is an interface plugin, not a chained plugin. Leave role out',
      ],
      [
        { type: "sbr-wrapper", wrapper: { role: "creator" } },
        '"creator": sbr is a chained plugin, not an interface plugin. Leave role out',
      ],
      [{ type: "ptp-wrapper", wrapper: { role: "creator" } }],
      [{ type: "ptp-wrapper", wrapper: { role: "other" } }],
      [{ type: "acme-wrapper", wrapper: { role: "meta" } }],
      [{ type: "sbr", wrapper: { role: "creator" } }],
    ] as const
  ).map(([plugin, message]): Coded => {
    const plugins = [plugin, { type: "tuning-wrapper" }];
    return ["wrong-role", JSON.stringify(plugin), plugins, {}, message ? [message] : []];
  }),
  [
    "unnamed-delegate",
    "cni-wrappers itself",
    [
      { type: "cni-wrappers" },
      { type: "cni-wrappers", wrapper: { delegate: "ptp" } },
      { type: "ptp-wrapper" },
      { type: "ptp" },
    ],
    {},
    [
      '"cni-wrappers": cni-wrappers does not say which plugin to run. Write the plugin\'s wrapper, such as "bridge-wrapper", or set wrapper.delegate',
    ],
  ],
  ...(
    [
      [
        { cniVersion: "1.0.1" },
        '"1.0.1": the specification has no version "1.0.1". Use "1.0.0". The newest version is 1.1.0',
      ],
      [{ cniVersion: "1.1.0" }],
      [{ cniVersion: 7 }],
      [{ cniVersion: "1.0.1", cniVersions: ["1.0.0"] }],
    ] as const
  ).map(([own, message]): Coded => {
    return ["unknown-version", JSON.stringify(own), [{ type: "ptp" }], own, message ? [message] : []];
  }),
  ...(
    [
      ["0.2.0", [{ type: "ptp" }, { type: "bridge-wrapper", wrapper: eth1 }], "bridge-wrapper asks for eth1"],
      [
        "0.2.0",
        [
          { type: "ptp" },
          { type: "bridge-wrapper", wrapper: eth1 },
          { type: "macvlan-wrapper", wrapper: { ifName: "eth2" } },
        ],
        "bridge-wrapper asks for eth1",
      ],
      ["0.2.0", [{ type: "ptp-wrapper", wrapper: eth1 }]],
      ["0.2.0", [{ type: "ptp" }, { type: "bridge-wrapper" }]],
      ["0.3.0", [{ type: "ptp" }, { type: "bridge-wrapper", wrapper: eth1 }]],
    ] as const
  ).map(([cniVersion, plugins, words]): Coded => {
    const message = `"${cniVersion}": cniVersion ${cniVersion} cannot have a second interface, and ${words}. Set "cniVersion": "1.0.0"`;
    return [
      "unchained-version",
      JSON.stringify([cniVersion, plugins]),
      plugins,
      { cniVersion },
      words ? [message] : [],
    ];
  }),
  ...(
    [
      [
        { type: "bandwidth", egressRate: 1 },
        { type: "bandwidth", egressRate: 1 },
        '"bandwidth"',
        "Use bandwidth-wrapper, and set wrapper.ifName",
      ],
      [
        { type: "bandwidth", egressRate: 1 },
        { type: "bandwidth-wrapper", egressRate: 1, wrapper: { network: "zone" } },
        '"network"',
        "Leave network out",
      ],
      [
        { type: "bandwidth", egressRate: 1 },
        { type: "bandwidth-wrapper", egressRate: 1, wrapper: eth1 },
      ],
      [
        { type: "bandwidth", egressRate: 1 },
        { type: "bandwidth", egressRate: 0 },
      ],
      [
        { type: "bandwidth", egressRate: 0 },
        { type: "bandwidth", egressRate: 1 },
      ],
      [
        { type: "bandwidth", egressRate: 1 },
        { type: "tuning", egressRate: 1 },
      ],
      [
        { type: "bandwidth", egressRate: 1 },
        { type: "bandwidth-wrapper", egressRate: 1, wrapper: { jq: "." } },
      ],
    ] as const
  ).map(([one, other, marked, hint]): Coded => {
    const message = `${marked}: this ${other.type} and the bandwidth before it have one network (zone), so they share an ifb device. ${hint}`;
    return ["shared-network", JSON.stringify([one, other]), [{ type: "ptp" }, one, other], {}, marked ? [message] : []];
  }),
  ...(
    [
      [
        [{ type: "macvlan-wrapper" }, { type: "bridge-wrapper", ipam, wrapper: eth1 }, {}],
        "macvlan",
        'Use portmap-wrapper with "ifName": "eth1"',
      ],
      [
        [
          { type: "ipvlan-wrapper", wrapper: eth1 },
          { type: "ptp-wrapper", ipam },
          { type: "portmap-wrapper", wrapper: eth1 },
        ],
        "ipvlan",
        "Leave ifName out",
      ],
      [
        [{ type: "macvlan" }, { type: "bridge", ipam }, {}],
        "macvlan",
        'Use bridge-wrapper with an ifName of its own, such as "eth1", and portmap-wrapper with the same ifName',
      ],
      [[{ type: "macvlan-wrapper" }, { type: "bridge-wrapper", wrapper: eth1 }, {}]],
      [[{ type: "vlan-wrapper" }, { type: "bridge-wrapper", ipam, wrapper: eth1 }, {}]],
      [[{ type: "macvlan-wrapper" }, { type: "bridge-wrapper", ipam, wrapper: eth1 }, { capabilities: {} }]],
      [[{ type: "macvlan-wrapper" }, { type: "bridge-wrapper", ipam, wrapper: eth1 }, { type: "tuning" }]],
      [[{ type: "macvlan-wrapper" }, { type: "vlan-wrapper", ipam, wrapper: eth1 }, {}]],
    ] as const
  ).map(([[first, second, last], kind, hint]): Coded => {
    const portmap = { type: "portmap", capabilities: caps, ...last };
    const ifName = kind === "ipvlan" ? "eth1" : "eth0";
    const marked = kind === "ipvlan" ? "eth1" : "portmap";
    const message = `"${marked}": portmap publishes on ${ifName}, an interface of ${kind}, which its own host does not reach. ${hint}`;
    const name = JSON.stringify([first, second, last]);
    return ["unreachable-port", name, [first, second, portmap], {}, kind ? [message] : []];
  }),
  ...(
    [
      [
        [{ type: "ptp" }, { type: "bridge" }],
        ["ptp", ""],
        ["bridge", ", and set wrapper.ifName"],
      ],
      [
        [{ type: "ptp" }, { type: "bridge-wrapper", wrapper: eth1 }],
        ["ptp", ""],
      ],
      [
        [{ type: "ptp-wrapper" }, { type: "bridge", wrapper: eth1 }],
        ["bridge", ""],
      ],
      [[{ type: "ptp" }, { type: "tuning" }]],
      [[{ type: "ptp-wrapper" }, { type: "bridge-wrapper" }]],
    ] as const
  ).map(([plugins, ...expected]): Coded => {
    const messages = (expected as readonly (readonly [string, string])[]).map(
      ([type, more]) =>
        `"${type}": ${type} creates an interface and is not wrapped. Change the type to "${type}-wrapper"${more}`,
    );
    return ["unwrapped-creator", JSON.stringify(plugins), plugins, {}, messages];
  }),
])("%s", (code, what, plugins, own, expected) => {
  test(what, () => {
    expect(foundIn(code, plugins, own)).toEqual(expected);
  });
});

describe("unsuitable-device, missing-master and bridge-address", () => {
  const port = { master: "br0", linkinfo: { info_slave_kind: "bridge" } };
  const card = (own: object = {}): Link => ({ ifindex: 2, ifname: "ens18", mtu: 1500, flags: ["UP"], ...own });
  const macvlan = (own: object = {}) => ({ type: "macvlan", master: "ens18", ...own });
  const isPort = (type: string) =>
    `"ens18": ens18 is a port of br0, so ${type} cannot use it: ADD fails. Use br0 as master, or another interface`;
  const isDown =
    '"ens18": ens18 is down on this host, so containers reach nothing through it. Run: ip link set ens18 up';
  const tooLong =
    "9000: the mtu is 9000, and ens18 of this host has 1500: ADD fails. Use at most 1500, or run: ip link set ens18 mtu 9000";
  const noBridge = (marked: string, name: string) =>
    `"${marked}": ${name} is no bridge on this host: ADD fails. Use a name that no interface of the host has, such as cni0: the plugin makes the bridge`;
  const none = (name: string, present: string) =>
    `"${name}": this host has no interface ${name}. Set "master" to one that it has: ${present}`;
  const many = Array.from({ length: 11 }, (_, index): Link => ({ ifindex: index, ifname: `ens${index}` }));
  const withAddress = (...locals: string[]): Link => ({
    ...{ ifindex: 3, ifname: "disc0", link_type: "ether", linkinfo: { info_kind: "bridge" } },
    addr_info: locals.map((local) => ({ local, prefixlen: 24, scope: "global" })),
  });
  const bridge = (own: object = {}) =>
    leased([{ subnet: "10.1.0.0/24" }], [], { type: "bridge", bridge: "disc0", isGateway: true, ...own });
  const other = (address: string) =>
    `"bridge": disc0 has the address ${address} on this host, and eth0 needs another one: ADD fails. Stop its containers and run "ip link delete disc0", or use another bridge`;
  const jq = { wrapper: { jq: "." } };

  test.each<[string, string, Plugin, Link[] | undefined, string[]]>([
    ["unsuitable-device", "a port of a bridge", macvlan(), [card(port)], [isPort("macvlan")]],
    ["unsuitable-device", "also by ipvlan", macvlan({ type: "ipvlan" }), [card(port)], [isPort("ipvlan")]],
    ["unsuitable-device", "vlan takes a port", macvlan({ type: "vlan" }), [card(port)], []],
    [
      "unsuitable-device",
      "a port of a bond",
      macvlan(),
      [card({ ...port, linkinfo: { info_slave_kind: "bond" } })],
      [isPort("macvlan")],
    ],
    [
      "unsuitable-device",
      "a port of a team",
      macvlan(),
      [card({ ...port, linkinfo: { info_slave_kind: "team" } })],
      [isPort("macvlan")],
    ],
    ["unsuitable-device", "a part of a vrf", macvlan(), [card({ ...port, linkinfo: { info_slave_kind: "vrf" } })], []],
    ["unsuitable-device", "too long packets", macvlan({ mtu: 9000 }), [card()], [tooLong]],
    ["unsuitable-device", "of vlan", macvlan({ mtu: 9000, type: "vlan" }), [card()], [tooLong]],
    ["unsuitable-device", "of ipvlan", macvlan({ mtu: 9000, type: "ipvlan" }), [card()], []],
    ["unsuitable-device", "the longest packets", macvlan({ mtu: 1500 }), [card()], []],
    ["unsuitable-device", "an mtu of text", macvlan({ mtu: "9000" }), [card()], []],
    ["unsuitable-device", "an unknown mtu", macvlan({ mtu: 9000 }), [card({ mtu: undefined })], []],
    ["unsuitable-device", "down", macvlan(), [card({ flags: ["BROADCAST"] })], [isDown]],
    ["unsuitable-device", "unknown flags", macvlan(), [card({ flags: undefined })], []],
    ["unsuitable-device", "a master of the container", macvlan({ linkInContainer: true }), [card(port)], []],
    ["unsuitable-device", "a program decides", macvlan({ type: "macvlan-wrapper", ...jq }), [card(port)], []],
    ["unsuitable-device", "another plugin", macvlan({ type: "ptp" }), [card(port)], []],
    ["unsuitable-device", "no --host", macvlan(), undefined, []],
    [
      "unsuitable-device",
      "no bridge",
      { type: "bridge", bridge: "ens18" },
      [card({ link_type: "ether" })],
      [noBridge("ens18", "ens18")],
    ],
    [
      "unsuitable-device",
      "no bridge of the default name",
      { type: "bridge" },
      [{ ...card({ link_type: "ether" }), ifname: "cni0" }],
      [noBridge("bridge", "cni0")],
    ],
    ["unsuitable-device", "a bridge", { type: "bridge", bridge: "disc0" }, [withAddress()], []],
    ["unsuitable-device", "a link whose type nobody says", { type: "bridge", bridge: "ens18" }, [card()], []],
    ["missing-master", "it is there", macvlan(), [card()], []],
    ["missing-master", "under another name", macvlan(), [card({ ifname: "x", altnames: ["ens18"] })], []],
    [
      "missing-master",
      "it is missing",
      macvlan({ master: "no" }),
      [card(), card({ ifname: "lo" }), card({ ifname: "veth1" })],
      [none("no", "ens18")],
    ],
    [
      "missing-master",
      "of many, ten are named",
      macvlan({ master: "no" }),
      many,
      [none("no", "ens0, ens1, ens2, ens3, ens4, ens5, ens6, ens7, ens8, ens9")],
    ],
    [
      "missing-master",
      "there is none",
      macvlan({ master: "no" }),
      [card({ ifname: "lo" })],
      [none("no", '"ip -brief link" lists them')],
    ],
    ["missing-master", "of ipvlan", macvlan({ master: "no", type: "ipvlan" }), [card()], [none("no", "ens18")]],
    ["missing-master", "of vlan", macvlan({ master: "no", type: "vlan" }), [card()], [none("no", "ens18")]],
    ["missing-master", "of another plugin", macvlan({ master: "no", type: "ptp" }), [card()], []],
    ["missing-master", "in the container", macvlan({ master: "no", linkInContainer: true }), [card()], []],
    ["missing-master", "no name", macvlan({ master: "" }), [card()], []],
    ["missing-master", "a number", macvlan({ master: 7 }), [card()], []],
    ["missing-master", "a program decides", macvlan({ master: "no", type: "macvlan-wrapper", ...jq }), [card()], []],
    ["missing-master", "no --host", macvlan({ master: "no" }), undefined, []],
    ["bridge-address", "its own address", bridge(), [withAddress("10.1.0.1")], []],
    ["bridge-address", "another one", bridge(), [withAddress("10.2.0.1")], [other("10.2.0.1/24")]],
    [
      "bridge-address",
      "another one before its own",
      bridge(),
      [withAddress("10.2.0.1", "10.3.0.1", "10.1.0.1")],
      [other("10.2.0.1/24")],
    ],
    ["bridge-address", "another one behind its own", bridge(), [withAddress("10.1.0.1", "10.2.0.1")], []],
    ["bridge-address", "an address of the other version", bridge(), [withAddress("fd00::1")], []],
    ["bridge-address", "no address", bridge(), [withAddress()], []],
    ["bridge-address", "no gateway", bridge({ isGateway: false }), [withAddress("10.2.0.1")], []],
    ["bridge-address", "another bridge", bridge({ bridge: "disc1" }), [withAddress("10.2.0.1")], []],
    ["bridge-address", "a card of its name", bridge(), [{ ...withAddress("10.2.0.1"), linkinfo: {} }], []],
    ["bridge-address", "no --host", bridge(), undefined, []],
  ])("%s: %s", (code, _, plugin, links, expected) => {
    expect(foundIn(code, [plugin], {}, { links })).toEqual(expected);
  });
});

describe("wrong-ending", () => {
  const [listed, single] = [text([{ type: "ptp" }]), '{"name":"zone","type":"ptp"}'];
  const asOne = (end: string) =>
    `"plugins": runtimes read a ${end} as one plugin, and this is a list. Let the file end with .conflist`;
  const asList =
    '"type": a .conflist needs a list of plugins, and this is one plugin. Write it into "plugins": [...], or let the file end with .conf';
  const unread = (marked: string, end: string) =>
    `"${marked}": no runtime reads a file that ends with ${end}. Let the file end with .conflist`;

  test.each<[string, string, string[]]>([
    ["zone.conflist", listed, []],
    ["zone.conf", listed, [asOne(".conf")]],
    ["zone.json", listed, [asOne(".json")]],
    ["zone.conf", '{"type":"ptp","plugins":[]}', []],
    ["zone.conf", single, []],
    ["zone.json", single, []],
    ["zone.conflist", single, [asList]],
    ["zone.conflist", "{}", []],
    ["zone.conflits", listed, [unread("plugins", ".conflits")]],
    ["zone.conflits", single, [unread("type", ".conflits")]],
    ["stdin", listed, []],
  ])("%s: %s", (path, json, expected) => {
    expect(found("wrong-ending", { [path]: json })).toEqual(expected);
  });
});

test.each([
  ["bridge-wrapper", "Install the wrappers there, with cni-wrappers install"],
  ["cni-wrappers", "Install the wrappers there, with cni-wrappers install"],
  ["brige-wrapper", 'Did you mean "bridge-wrapper"?'],
  ["acme-wrapper", "If the plugin acme is there, cni-wrappers install --plugins acme makes its wrapper"],
  ["bridge", undefined],
])("what to do if %s is missing", (type, cure) => {
  expect(missingWrapperCure(type, `failed to find plugin "${type}" in path [/opt/cni/bin]`)).toBe(cure);
  expect(missingWrapperCure(type, "Link not found")).toBeUndefined();
  const plugins = { find: () => undefined } as unknown as Context["plugins"];
  const message = `"${type}": no directory of --cni-path has ${type}. ${cure ?? "Install the plugin there, or fix the type"}`;
  expect(foundIn("missing-plugin", [{ type }], {}, { plugins })).toEqual([message]);
  expect(foundIn("missing-plugin", [{ type }])).toEqual([]);
});

describe("changed-network", () => {
  const entry = (own: object = {}) =>
    entryOf({ type: "bridge", ifName: "eth1", delegateNetwork: "zone-eth1", containerId: "c1", ...own });
  const lease = (network: string, containerId: string, ifName = "eth1") => ({ network, containerId, ifName });
  const bridge = (wrapper: object = {}, own: object = {}) => ({
    ...{ type: "bridge-wrapper", wrapper: { ifName: "eth1", ...wrapper } },
    ...own,
  });
  const old = (marked: string, network: string, now: string, count: string) =>
    `"${marked}": eth1 has leases under ${network}, and its network is now ${now}: ${count}. Set wrapper.network to "${network}", or stop these containers first`;
  const lan = { network: "lan" };

  test.each<[string, Plugin, ReturnType<typeof entry>[], ReturnType<typeof lease>[], string[]]>([
    ["the same", bridge(), [entry()], [], []],
    ["another", bridge(lan), [entry()], [], [old("network", "zone-eth1", "lan", "1 container")]],
    [
      "it is the list's again",
      bridge(),
      [entry({ delegateNetwork: "lan" })],
      [],
      [old("ifName", "lan", "zone-eth1", "1 container")],
    ],
    [
      "of two containers and two networks",
      bridge(lan),
      [entry(), entry({ containerId: "c2" }), entry({ containerId: "c2" }), entry({ delegateNetwork: "wan" })],
      [],
      [old("network", "zone-eth1", "lan", "2 containers"), old("network", "wan", "lan", "1 container")],
    ],
    ["another plugin's entry", bridge(lan), [entry({ type: "ptp" })], [], []],
    ["another interface's entry", bridge(lan), [entry({ ifName: "eth2" })], [], []],
    ["another list's entry", bridge(lan), [entry({ network: "shop" })], [], []],
    ["plain", bridge(lan, { type: "bridge" }), [entry()], [], []],
    ["a chained plugin", bridge(lan, { type: "sbr-wrapper" }), [entry({ type: "sbr" })], [], []],
    [
      "a lease of the plain plugin",
      bridge(lan),
      [],
      [lease("zone", "c1")],
      [old("network", "zone", "lan", "1 container")],
    ],
    [
      "a lease of the wrapper",
      bridge(lan),
      [],
      [lease("zone-eth1", "c1")],
      [old("network", "zone-eth1", "lan", "1 container")],
    ],
    ["a lease of another network", bridge(lan), [], [lease("shop", "c1")], []],
    ["a lease of another interface", bridge(lan), [], [lease("zone", "c1", "eth0")], []],
    ["without a name of its own, the wrapper finds leases", bridge(), [], [lease("zone", "c1")], []],
  ])("%s", (_, plugin, entries, leases, expected) => {
    const state = { entries, leases, unreadable: [] } as unknown as State;
    expect(foundIn("changed-network", [{ type: "ptp-wrapper" }, plugin], {}, { state })).toEqual(expected);
    expect(foundIn("changed-network", [{ type: "ptp-wrapper" }, plugin])).toEqual([]);
  });
});

describe("crio-ports", () => {
  const interfaceWith = (subnet: string | undefined, ifName?: string) => ({
    type: "macvlan-wrapper",
    ...(ifName !== undefined && { wrapper: { ifName } }),
    ipam: subnet === undefined ? { type: "dhcp" } : { type: "host-local", ranges: [[{ subnet }]] },
  });
  const [four, six] = ["10.1.0.0/24", "fd00::/64"];
  const portmap = (ifName?: string, own: object = {}) => ({
    ...{ type: "portmap-wrapper", capabilities: caps, ...(ifName !== undefined && { wrapper: { ifName } }) },
    ...own,
  });
  const other = (marked: string, on: string, version: string, ifName: string) =>
    `"${marked}": CRI-O publishes ports on ${on}, which has the first ${version} address, and not on ${ifName}. Put the plugin of ${ifName} before that of ${on}`;

  test.each<Row>([
    ["the first interface", [interfaceWith(four), interfaceWith(four, "eth1"), portmap()], {}, []],
    [
      "the second interface",
      [interfaceWith(four), interfaceWith(four, "eth1"), portmap("eth1")],
      {},
      [other("eth1", "eth0", "IPv4", "eth1")],
    ],
    [
      "the runtime's, which comes later",
      [interfaceWith(four, "eth1"), interfaceWith(four), portmap()],
      {},
      [other("portmap-wrapper", "eth1", "IPv4", "eth0")],
    ],
    [
      "the second one has the first IPv6 address",
      [interfaceWith(four), interfaceWith(six, "eth1"), portmap("eth1")],
      {},
      [],
    ],
    [
      "only IPv6",
      [interfaceWith(six), interfaceWith(six, "eth1"), portmap("eth1")],
      {},
      [other("eth1", "eth0", "IPv6", "eth1")],
    ],
    [
      "nobody knows the first one's addresses",
      [interfaceWith(undefined), interfaceWith(four, "eth1"), portmap("eth1")],
      {},
      [],
    ],
    [
      "the first one has no address",
      [{ type: "macvlan-wrapper" }, interfaceWith(four, "eth1"), portmap("eth1")],
      {},
      [],
    ],
    ["no ports", [interfaceWith(four), interfaceWith(four, "eth1"), portmap("eth1", { capabilities: {} })], {}, []],
    [
      "another plugin",
      [interfaceWith(four), interfaceWith(four, "eth1"), portmap("eth1", { type: "bandwidth-wrapper" })],
      {},
      [],
    ],
  ])("%s", (_, plugins, own, expected) => {
    expect(foundIn("crio-ports", plugins, own, { hasCrio: true })).toEqual(expected);
    expect(foundIn("crio-ports", plugins, own, { hasCrio: false })).toEqual([]);
  });
});

/** A row about lists of one directory, `a` and `b`, by their plugins. */
type Lists = readonly [what: string, a: readonly Plugin[], b: readonly Plugin[], expected: readonly string[]];

const foundBeside = (code: string, a: readonly Plugin[], b: readonly Plugin[], around: Omit<Context, "lists"> = {}) =>
  found(code, { "x/1.conflist": text(a, { name: "a" }), "x/2.conflist": text(b, { name: "b" }) }, around);

describe("overlapping-ranges", () => {
  const subnet = "10.1.0.0/24";
  const onBridge = (range: object = {}, own: object = {}) =>
    leased([{ subnet, ...range }], [], { type: "bridge-wrapper", bridge: "disc0", ...own });
  const onLan = (range: object = {}, own: object = {}) =>
    leased([{ subnet, ...range }], [], { type: "macvlan-wrapper", master: "ens18", ...own });
  const second = { wrapper: eth1 };
  const apart = (address: string, marked = subnet) =>
    `"${marked}": eth1 can get ${address}, and so can eth0; their leases are kept apart. Use another subnet, or set wrapper.network to "zone"`;
  const taken = (marked: string, address: string) =>
    `"${marked}": eth1 can get ${address}, and so can eth0. Use another address`;

  test.each<Row>([
    ["one subnet", [onLan(), onBridge({}, second)], {}, [apart("10.1.0.2")]],
    ["one network", [onLan(), onBridge({}, { wrapper: { ...eth1, network: "zone" } })], {}, []],
    [
      "a gateway that one of them gives out",
      [onLan({ gateway: "10.1.0.9" }), onBridge({}, second)],
      {},
      [apart("10.1.0.2")],
    ],
    ["another subnet", [onLan(), onBridge({ subnet: "10.2.0.0/24" }, second)], {}, []],
    [
      "only the last address",
      [onLan({ rangeEnd: "10.1.0.9" }), onBridge({ rangeStart: "10.1.0.9" }, second)],
      {},
      [apart("10.1.0.9")],
    ],
    ["no address", [onLan({ rangeEnd: "10.1.0.8" }), onBridge({ rangeStart: "10.1.0.9" }, second)], {}, []],
    [
      "a fixed address",
      [onLan(), fixed([{ address: "10.1.0.7/24" }], [], { type: "bridge-wrapper", ...second })],
      {},
      [taken("10.1.0.7/24", "10.1.0.7")],
    ],
    [
      "two fixed addresses",
      [
        fixed([{ address: "10.1.0.7/24" }]),
        fixed([{ address: "10.1.0.7/24" }], [], { type: "bridge-wrapper", ...second }),
      ],
      {},
      [taken("10.1.0.7/24", "10.1.0.7")],
    ],
    ["one interface, twice", [leased([{ subnet }, { subnet }], [], { type: "macvlan-wrapper" })], {}, []],
    ["a program decides", [onLan(), onBridge({}, { wrapper: { ...eth1, jq: "." } })], {}, []],
  ])("of one list: %s", (_, plugins, own, expected) => {
    expect(foundIn("overlapping-ranges", plugins, own)).toEqual(expected);
  });

  const both = (address = "10.1.0.2", marked = subnet) =>
    `"${marked}": eth0 can get ${address}, and so can eth0 of a (1.conflist): two containers would have one address. Use another subnet, or divide this one with rangeStart and rangeEnd`;

  test.each<Lists>([
    ["one bridge", [onBridge()], [onBridge()], [both()]],
    ["two bridges", [onBridge()], [onBridge({}, { bridge: "disc1" })], []],
    ["two VLANs of a bridge", [onBridge({}, { vlan: 7 })], [onBridge({}, { vlan: 8 })], []],
    ["one VLAN of a bridge", [onBridge({}, { vlan: 7 })], [onBridge({}, { vlan: 7 })], [both()]],
    [
      "two bridges that the host routes to",
      [onBridge({}, { isGateway: true })],
      [onBridge({}, { bridge: "disc1", isDefaultGateway: true })],
      [both()],
    ],
    ["one that it does not route to", [onBridge({}, { isGateway: true })], [onBridge({}, { bridge: "disc1" })], []],
    [
      "ptp, and a bridge with a gateway",
      [onBridge({}, { type: "ptp-wrapper" })],
      [onBridge({}, { isGateway: true })],
      [both()],
    ],
    ["one master", [onLan()], [onLan({}, { type: "ipvlan-wrapper" })], [both()]],
    ["two masters", [onLan()], [onLan({}, { master: "ens19" })], []],
    ["a master of the container", [onLan({}, { linkInContainer: true })], [onLan({}, { linkInContainer: true })], []],
    ["no master", [onLan({}, { master: "" })], [onLan({}, { master: "" })], []],
    ["of vlan, nobody knows", [onLan({}, { type: "vlan-wrapper" })], [onLan({}, { type: "vlan-wrapper" })], []],
    ["parts of a subnet", [onLan({ rangeEnd: "10.1.0.99" })], [onLan({ rangeStart: "10.1.0.100" })], []],
    [
      "parts that meet",
      [onLan({ rangeEnd: "10.1.0.100" })],
      [onLan({ rangeStart: "10.1.0.100" })],
      [both("10.1.0.100")],
    ],
    ["a part inside", [onLan()], [onLan({ subnet: "10.1.0.64/30" })], [both("10.1.0.66", "10.1.0.64/30")]],
    [
      "a fixed address",
      [onLan()],
      [fixed([{ address: "10.1.0.7/24" }], [], { master: "ens18" })],
      [both("10.1.0.7", "10.1.0.7/24")],
    ],
    [
      "two lists with one fixed address may take turns",
      [fixed([{ address: "10.1.0.7/24" }], [], { master: "ens18" })],
      [fixed([{ address: "10.1.0.7/24" }], [], { master: "ens18" })],
      [],
    ],
    [
      "one pool of leases",
      [onLan({}, { wrapper: { network: "lan" } })],
      [onLan({}, { wrapper: { network: "lan" } })],
      [],
    ],
    [
      "the wide part of a list and a narrow one before it",
      [
        leased([{ subnet: "10.1.0.0/29" }, { subnet: "10.1.0.0/24" }], [], {
          type: "macvlan-wrapper",
          master: "ens18",
        }),
      ],
      [onLan({ subnet: "10.1.0.128/25" })],
      [both("10.1.0.130", "10.1.0.128/25")],
    ],
  ])("of two lists: %s", (_, a, b, expected) => {
    expect(foundBeside("overlapping-ranges", a, b)).toEqual(expected);
  });

  test("lists of two directories are for two hosts", () => {
    const [a, b] = ["a", "b"].map((name) => text([onLan()], { name })) as [string, string];
    expect(found("overlapping-ranges", { "x/1.conflist": a, "y/2.conflist": b })).toEqual([]);
  });
});

describe("shared-bridge", () => {
  const bridge = (subnet: string, own: object = {}) =>
    leased([{ subnet }], [], { type: "bridge-wrapper", bridge: "disc0", isGateway: true, ...own });
  const different = (marked: string, other: string, name = "disc0", ifName = "eth0") =>
    `"${marked}": ${ifName} and ${other} give the bridge ${name} different gateway addresses. Give each plugin its own bridge`;
  const [one, two] = ["10.1.0.0/24", "10.2.0.0/24"];

  test.each<Lists>([
    ["two subnets", [bridge(one)], [bridge(two)], [different("bridge", "eth0 of a (1.conflist)")]],
    [
      "of the default bridge",
      [bridge(one, { bridge: undefined })],
      [bridge(two, { bridge: undefined })],
      [different("bridge-wrapper", "eth0 of a (1.conflist)", "cni0")],
    ],
    ["one subnet", [bridge(one)], [bridge(one)], []],
    ["two bridges", [bridge(one)], [bridge(two, { bridge: "disc1" })], []],
    ["no gateway", [bridge(one)], [bridge(two, { isGateway: false })], []],
    [
      "a gateway for all",
      [bridge(one)],
      [bridge(two, { isGateway: false, isDefaultGateway: true })],
      [different("bridge", "eth0 of a (1.conflist)")],
    ],
    ["both addresses are wanted", [bridge(one)], [bridge(two, { forceAddress: true })], []],
    ["a VLAN has its own", [bridge(one)], [bridge(two, { vlan: 7 })], []],
    ["a program decides", [bridge(one)], [bridge(two, { wrapper: { jq: "." } })], []],
    ["another version", [bridge(one)], [bridge("fd00::/64")], []],
    ["two of IPv6", [bridge("fd00:1::/64")], [bridge("fd00:2::/64")], []],
    [
      "one in the other, of IPv6",
      [bridge("fd00::/48")],
      [bridge("fd00::/64")],
      [different("bridge", "eth0 of a (1.conflist)")],
    ],
    [
      "another gateway of one subnet",
      [bridge(one)],
      [
        leased([{ subnet: one, gateway: "10.1.0.9" }], [], {
          type: "bridge-wrapper",
          bridge: "disc0",
          isGateway: true,
        }),
      ],
      [different("bridge", "eth0 of a (1.conflist)")],
    ],
    [
      "two plugins of a list",
      [bridge(one), bridge(two, { wrapper: eth1 })],
      [],
      [different("bridge", "eth0", "disc0", "eth1")],
    ],
    [
      "two subnets of a plugin",
      [leased([{ subnet: one }, { subnet: two }], [], { type: "bridge-wrapper", bridge: "disc0", isGateway: true })],
      [],
      [
        '"bridge": eth0 has two subnets, and the plugin refuses to give the bridge disc0 both gateway addresses. Use one larger subnet',
      ],
    ],
    [
      "two of a plugin that overlap: host-local refuses them",
      [
        leased([{ subnet: "10.1.0.0/16" }, { subnet: one, gateway: "10.1.0.9" }], [], {
          type: "bridge-wrapper",
          bridge: "disc0",
          isGateway: true,
        }),
      ],
      [],
      [],
    ],
  ])("%s", (_, a, b, expected) => {
    expect(foundBeside("shared-bridge", a, b)).toEqual(expected);
  });
});

test.each<[string, Plugin, string, string[]]>([
  [
    "a list of the interface's network",
    { type: "ptp-wrapper", wrapper: eth1 },
    "a-eth1",
    [
      '"a-eth1": the network of eth1 in a (1.conflist) has this name, too, so they share leases and rules. Rename this list',
    ],
  ],
  ["another name", { type: "ptp-wrapper", wrapper: eth1 }, "a-eth2", []],
  ["a name that the operator chose", { type: "ptp-wrapper", wrapper: { ...eth1, network: "a-eth1" } }, "a-eth1", []],
  ["a chained plugin", { type: "sbr-wrapper", wrapper: eth1 }, "a-eth1", []],
  ["the runtime's interface", { type: "ptp-wrapper" }, "a", []],
])("taken-network: %s", (_, plugin, name, expected) => {
  const files = { "x/1.conflist": text([plugin], { name: "a" }), "x/2.conflist": text([{ type: "ptp" }], { name }) };
  expect(found("taken-network", files)).toEqual(expected);
});

describe("shared-flannel", () => {
  const flannel = (dataDir?: string) => ({ type: "flannel", ...(dataDir !== undefined && { dataDir }) });
  const usual = "/var/lib/cni/flannel";
  const shared = (marked: string, owner: string, directory = usual) =>
    `"${marked}": this flannel and ${owner} keep their files in ${directory}, by the container alone. Give each flannel its own dataDir`;

  test.each<Lists>([
    ["two lists", [flannel()], [flannel()], [shared("flannel", "a (1.conflist)")]],
    ["the same directory, named", [flannel()], [flannel(`${usual}/`)], [shared(`${usual}/`, "a (1.conflist)")]],
    ["two directories", [flannel("/a")], [flannel("/b")], []],
    ["two of a list", [flannel("/a"), flannel("/a")], [], [shared("/a", "the flannel before it", "/a")]],
    ["two of a list with two directories", [flannel("/a"), flannel("/b")], [], []],
    ["another plugin", [flannel()], [{ type: "ptp", dataDir: usual }], []],
  ])("%s", (_, a, b, expected) => {
    expect(foundBeside("shared-flannel", a, b)).toEqual(expected);
  });
});

describe("renamed-network", () => {
  const entry = (own: object = {}) => entryOf({ network: "old", type: "bridge", ifName: "eth0", ...own });
  const bridge = { type: "bridge-wrapper" };
  const second = { type: "macvlan-wrapper", wrapper: eth1 };
  const renamed =
    '"a": containers are attached to old, which no list defines; a makes the same interfaces. Name it old again, or stop these containers first';

  test.each<[string, Plugin[], Plugin[], ReturnType<typeof entry>[], string[]]>([
    ["the interfaces of a list", [bridge], [second], [entry()], [renamed]],
    ["of two containers", [bridge], [second], [entry(), entry({ containerId: "c2" })], [renamed]],
    ["the runtime has another name", [bridge], [second], [entry({ ifName: "net1", runtimeIfName: "net1" })], [renamed]],
    ["two interfaces", [bridge, second], [bridge], [entry(), entry({ type: "macvlan", ifName: "eth1" })], [renamed]],
    ["one of two", [bridge, second], [second], [entry()], []],
    ["another plugin's", [bridge], [second], [entry({ type: "ptp" })], []],
    ["the network is defined", [bridge], [second], [entry({ network: "b" })], []],
    ["the list has containers", [bridge], [second], [entry(), entry({ network: "a" })], []],
    ["plain plugins", [{ type: "bridge" }], [second], [entry()], []],
    ["nobody is attached", [bridge], [second], [], []],
  ])("%s", (_, a, b, entries, expected) => {
    const state = { entries, leases: [], unreadable: [] } as unknown as State;
    expect(foundBeside("renamed-network", a, b, { state })).toEqual(expected);
    expect(foundBeside("renamed-network", a, b)).toEqual([]);
  });
});

describe("drop-in-not-installed", () => {
  const installed = (isWrapper: boolean) =>
    ({ find: (type: string) => ({ path: `bin/${type}`, isWrapper }) }) as unknown as Context["plugins"];
  const second = { type: "macvlan", wrapper: eth1 };
  const plain = (type: string) =>
    `"${type}": bin/${type} is the plain plugin. Link cni-wrappers as ${type} in a directory that comes before, or change the type to "${type}-wrapper"`;

  test.each<Row>([
    ["a plain plugin in the wrapper's place", [{ type: "bridge" }, second], {}, [plain("bridge"), plain("macvlan")]],
    ["a chained plugin needs none", [second, { type: "sbr" }], {}, [plain("macvlan")]],
    ["an unknown plugin is not wrapped", [second, { type: "acme" }], {}, [plain("macvlan")]],
    ["the wrappers have names of their own", [{ type: "ptp-wrapper" }, second], {}, []],
    ["nobody asks for a wrapper", [{ type: "bridge" }, { type: "macvlan" }], {}, []],
  ])("%s", (_, plugins, own, expected) => {
    expect(foundIn("drop-in-not-installed", plugins, own, { plugins: installed(false) })).toEqual(expected);
    expect(foundIn("drop-in-not-installed", plugins, own, { plugins: installed(true) })).toEqual([]);
    expect(foundIn("drop-in-not-installed", plugins, own)).toEqual([]);
  });
});

describe("shared-device, of two lists", () => {
  const on = (type: string, master: unknown = "ens18", own: object = {}) => ({ type, master, ...own });
  const carries = (first: string, second: string) =>
    `"ens18": ens18 carries ${first} interfaces already, so it cannot carry ${second}: see a (1.conflist). Use another master, or ${first} for both`;
  const jq = { wrapper: { jq: "." } };

  test.each<Lists>([
    ["macvlan, then ipvlan", [on("macvlan")], [on("ipvlan")], [carries("macvlan", "ipvlan")]],
    ["ipvlan, then macvlan", [on("ipvlan")], [on("macvlan")], [carries("ipvlan", "macvlan")]],
    [
      "twice",
      [on("macvlan")],
      [on("ipvlan"), on("ipvlan")],
      [carries("macvlan", "ipvlan"), carries("macvlan", "ipvlan")],
    ],
    ["two masters", [on("macvlan")], [on("ipvlan", "ens19")], []],
    ["two of one kind", [on("macvlan")], [on("macvlan")], []],
    ["no master", [on("macvlan", 7)], [on("ipvlan", 7)], []],
    ["one in the container", [on("macvlan")], [on("ipvlan", "ens18", { linkInContainer: true })], []],
    ["a program decides in the first", [on("macvlan-wrapper", "ens18", jq)], [on("ipvlan")], []],
    ["a program decides in the second", [on("macvlan")], [on("ipvlan-wrapper", "ens18", jq)], []],
    [
      "a device for one container after the other",
      [{ type: "host-device", device: "x" }],
      [{ type: "host-device", device: "x" }],
      [],
    ],
  ])("%s", (_, a, b, expected) => {
    expect(foundBeside("shared-device", a, b)).toEqual(expected);
  });
});

test("of three lists with common addresses, each names the first before it, whatever their subnets begin with", () => {
  const list = (name: string, subnet: string) =>
    text([leased([{ subnet }], [], { type: "macvlan-wrapper", master: "ens18" })], { name });
  const line = (subnet: string, address: string, other: string) =>
    `"${subnet}": eth0 can get ${address}, and so can eth0 of ${other}: two containers would have one address. Use another subnet, or divide this one with rangeStart and rangeEnd`;
  const [wide, low, high] = ["10.1.0.0/24", "10.1.0.0/25", "10.1.0.128/25"];
  const foundFor = (...subnets: string[]) => {
    const files = subnets.map((subnet, index) => [`x/${index}.conflist`, list(`n${index}`, subnet)]);
    return found("overlapping-ranges", Object.fromEntries(files));
  };
  expect(foundFor(high, low, wide)).toEqual([line(wide, "10.1.0.130", "n0 (0.conflist)")]);
  expect(foundFor(low, high, wide)).toEqual([line(wide, "10.1.0.2", "n0 (0.conflist)")]);
  expect(foundFor(wide, high, low)).toEqual([
    line(high, "10.1.0.130", "n0 (0.conflist)"),
    line(low, "10.1.0.2", "n0 (0.conflist)"),
  ]);
  expect(foundFor(low, wide, high)).toEqual([
    line(wide, "10.1.0.2", "n0 (0.conflist)"),
    line(high, "10.1.0.130", "n1 (1.conflist)"),
  ]);
  expect(foundFor(low, high)).toEqual([]);
});
