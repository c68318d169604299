import { describe, expect, test } from "vitest";
import { checkAfterScript } from "../../../../cli/explain/after-script.ts";
import { exampleAttachment } from "../../../../cli/explain/example-source.ts";
import { verdictCode, verdictData, verdictOf, verdictText } from "../../../../cli/explain/verdict.ts";
import { listOf as readExample } from "../../../support/examples.ts";
import { parsedList } from "./support.ts";

function verdict(plugins: readonly object[], more: object = {}) {
  const list = parsedList({ cniVersion: "1.0.0", name: "zone", plugins, ...more });
  return { list, outcomes: verdictOf(list, exampleAttachment(list), undefined) };
}

/** What does not pass, as `event plugin: message`. */
function failures(plugins: readonly object[], more: object = {}): string[] {
  const { outcomes } = verdict(plugins, more);
  return outcomes.filter(({ passes }) => !passes).map(({ event, type, message }) => `${event} ${type}: ${message}`);
}

const local = (subnet: string) => ({ ipam: { type: "host-local", subnet } });
const macvlan = { type: "macvlan", master: "ens18", ...local("172.16.5.0/24") };
const bridge = { type: "bridge", bridge: "disc0", isGateway: true, ...local("172.26.64.0/20") };
const wrapped = { ...bridge, type: "bridge-wrapper", wrapper: { ifName: "eth1" } };

/** What an event leaves on the host, as `event: kind name`. */
function leftovers(plugins: readonly object[]): string[] {
  const { outcomes } = verdict(plugins);
  return outcomes.flatMap(({ event, leaves }) => leaves.map(({ kind, name }) => `${event}: ${kind} ${name}`));
}

describe("what is left on the host, as the real plugins leave it", () => {
  const masqueraded = { ...bridge, ipMasq: true };
  const published = { type: "portmap", capabilities: { portMappings: true } };

  test("without a namespace, nobody knows the addresses that bridge masqueraded", () => {
    expect(leftovers([masqueraded, published])).toEqual(["gone: masquerading 172.26.64.7"]);
    expect(leftovers([masqueraded, { type: "tuning", mtu: 1400 }])).toEqual([
      "gone: masquerading 172.26.64.7",
      "gone: file /run/cni/tuning/example5_eth0.json",
    ]);
  });

  test("an ADD that failed gives DEL no result, and firewall takes its addresses from there", () => {
    expect(leftovers([bridge, { type: "firewall", ingressPolicy: "same-bridges" }])).toEqual([
      "stop: lease 172.26.64.2",
      "stop: firewall rule 172.26.64.2",
    ]);
  });

  test("host-device does nothing without a namespace, and keeps its lease; with the wrapper, its IPAM plugin runs", () => {
    const device = { device: "ens19", ipam: bridge.ipam };
    expect(leftovers([{ type: "host-device", ...device }])).toEqual(["gone: lease 172.26.64.5"]);
    expect(leftovers([{ type: "host-device-wrapper", ...device }])).toEqual([]);
  });
});

describe("the verdict of a list, with the words that the real plugins print", () => {
  test("two plain interface plugins", () => {
    const { list, outcomes } = verdict([macvlan, bridge]);
    expect(verdictText(list, outcomes)).toBe(`zone: macvlan eth0, bridge eth0
  start      fails at bridge: container veth name ("eth0") peer provided ("...") already exists
  passes:    stop
  not sent:  second, restart, joined, retry, twice, reboot, gone
-> cni-wrappers wrap zone.conflist
`);
    expect(verdictData(outcomes)[0]).toEqual({
      event: "start",
      passes: false,
      plugin: 1,
      type: "bridge",
      message: 'container veth name ("eth0") peer provided ("...") already exists',
      leaves: [],
    });
    expect(verdictCode(outcomes)).toBe(1);
  });

  test("a script that merges the results lets ADD pass, and CHECK fails then", () => {
    // sbr finds the gateway of its own interface's address only, and the script moves the addresses' indexes.
    const { list: moved } = verdict([{ type: "tap", ...local("10.61.0.0/24") }, macvlan, { type: "sbr" }]);
    expect(checkAfterScript(moved, exampleAttachment(moved))).toEqual({
      plugin: 0,
      type: "tap",
      message: "Failed to find Gateway 10.61.0.1 for interface eth0",
    });
    const { list, outcomes } = verdict([macvlan, bridge, { type: "portmap", capabilities: { portMappings: true } }]);
    const afterScript = checkAfterScript(list, exampleAttachment(list));
    expect(verdictText(list, outcomes, afterScript)).toBe(`zone: macvlan eth0, bridge eth0, portmap
  start      fails at bridge: container veth name ("eth0") peer provided ("...") already exists
  restart    never reached; with a script that merges the results: fails at macvlan: Failed to match addr 172.26.64.2/20 on interface eth0
  passes:    stop
  not sent:  second, joined, retry, twice, reboot, gone
-> cni-wrappers wrap zone.conflist
`);
  });

  const onlyAddress = {
    ipam: {
      type: "host-local",
      ranges: [[{ subnet: "10.1.0.0/24", rangeStart: "10.1.0.5", rangeEnd: "10.1.0.5" }]],
    },
  };
  const families = {
    ipam: { type: "host-local", ranges: [[{ subnet: "172.16.5.0/24" }], [{ subnet: "fd00:5::/64" }]] },
  };
  const published = { type: "portmap", capabilities: { portMappings: true } };
  const none = "failed to allocate for range 0: no IP addresses available in range set: 10.1.0.5-10.1.0.5";
  const again = (address: string) =>
    `failed to allocate for range 0: ${address} has been allocated to example6, duplicate allocation is not allowed`;
  const taken = (ifName: string) => `container veth name ("${ifName}") peer provided ("...") already exists`;
  const once = "(does not count: a list that names its interfaces can be attached to a container once)";

  test.each<[string, object[], object, string]>([
    [
      "a pool with one address, which the lease of the last boot takes",
      [{ ...bridge, ...onlyAddress }],
      {},
      `zone: bridge eth0
  second     fails at bridge: ${none}
  twice      fails at bridge: ${none} (does not count)
  reboot     fails at bridge: ${again("10.1.0.5")}
  passes:    start, restart, retry, stop, gone
  not sent:  joined
`,
    ],
    [
      "the same with a wrapper, and without CHECK: the lease of the last boot is released",
      [{ ...wrapped, ...onlyAddress }],
      { disableCheck: true },
      `zone: bridge eth1
  second     fails at bridge-wrapper: ${none}
  twice      fails at bridge-wrapper: ${taken("eth1")} ${once}
  passes:    start, retry, reboot, stop, gone
  not sent:  restart, joined
`,
    ],
    [
      "an interface without addresses: a reboot leaves nothing of it",
      [{ type: "tap" }],
      {},
      `zone: tap eth0
  passes:    start, second, restart, joined, retry, twice, reboot, stop, gone
`,
    ],
    [
      "an ADD and a DEL that fail, and what is left of them",
      [bridge, { type: "tuning", sysctl: { "net.core.somaxconn": 500 } }],
      {},
      `zone: bridge eth0, tuning
  start      fails at tuning: json: cannot unmarshal number into Go struct field sysctlCheck.sysctl of type string
  stop       fails at tuning: failed to load netconf: json: cannot unmarshal number into Go struct field TuningConf.sysctl of type string; leaves the lease 172.26.64.2
  not sent:  second, restart, joined, retry, twice, reboot, gone
`,
    ],
    [
      "several things that are left",
      [{ ...bridge, ipMasq: true, ...families }, published, { type: "tuning", mtu: 1400 }],
      {},
      `zone: bridge eth0, portmap, tuning
  retry      fails at bridge: ${taken("eth0")}
  reboot     fails at bridge: ${again("172.16.5.8")}
  gone       leaves the rules that masquerade 172.16.5.7, the rules that masquerade fd00:5::7, the file /run/cni/tuning/example5_eth0.json
  passes:    start, second, restart, joined, twice, stop
`,
    ],
    [
      "a plugin that refuses its policy",
      [bridge, { type: "firewall", ingressPolicy: "same-bridges" }],
      {},
      `zone: bridge eth0, firewall
  start      fails at firewall: unknown ingress policy: "same-bridges"
  stop       fails at firewall: unknown ingress policy: "same-bridges"; leaves the lease 172.26.64.2, the firewall's rules for 172.26.64.2
  not sent:  second, restart, joined, retry, twice, reboot, gone
`,
    ],
    [
      "a list without a name",
      [bridge],
      { name: undefined },
      `zone.conflist: bridge eth0
  start      fails: error parsing configuration list: no name
  not sent:  second, restart, joined, retry, twice, reboot, stop, gone
`,
    ],
    [
      "a list of an old version with two plugins",
      [macvlan, published],
      { cniVersion: "0.2.0" },
      `zone: macvlan eth0, portmap
  start      not known: lists of version 0.2.0 are unknown
  not sent:  second, restart, joined, retry, twice, reboot, stop, gone
-> cni-wrappers try zone.conflist
`,
    ],
    [
      "a list of an old version with one plugin, which the runtime does not check",
      [{ type: "tap" }],
      { cniVersion: "0.2.0" },
      `zone: tap eth0
  passes:    start, second, retry, twice, reboot, stop, gone
  not sent:  restart, joined
`,
    ],
  ])("in words: %s", (_, plugins, more, text) => {
    const { list, outcomes } = verdict(plugins, more);
    expect(verdictText(list, outcomes)).toBe(text);
  });

  test("a list of which one thing is not known is not good", () => {
    const passes = { event: "start", passes: true, leaves: [] } as const;
    const unknown = { event: "stop", passes: undefined, leaves: [] } as const;
    expect([verdictCode([passes]), verdictCode([passes, unknown])]).toEqual([0, 2]);
  });

  test.each([
    ["leaves a list with one interface plugin alone", [bridge], false],
    ["wraps the other one of a half-wrapped list", [macvlan, wrapped], true],
    ["leaves a list alone that passes", [{ type: "tap" }, { type: "tap" }], false],
  ])("names wrap only if it changes the list: it %s", (_, plugins, isNamed) => {
    const { list, outcomes } = verdict(plugins);
    expect(verdictText(list, outcomes).includes("-> cni-wrappers wrap")).toBe(isNamed);
  });

  test.each([
    ["a list with one interface plugin", [bridge]],
    ["a wrapped list", [macvlan, wrapped]],
    ["an unknown plugin", [{ type: "calico" }, bridge]],
    ["an unknown plugin beside two others", [macvlan, bridge, { type: "calico" }]],
    ["a list with one interface plugin, whose CHECK fails", [macvlan, { type: "sbr" }]],
    ["a CHECK that passes", [{ type: "tap" }, { type: "tap" }]],
    ["an ADD that fails even so", [{ ...macvlan, mode: "odd" }, bridge]],
  ])("%s: nothing is said about a script", (_, plugins) => {
    const { list } = verdict(plugins);
    expect(checkAfterScript(list, exampleAttachment(list))).toBeUndefined();
  });

  test("the wrapped list of README passes, and can be attached once", () => {
    const list = parsedList(readExample("macvlan-bridge"));
    const outcomes = verdictOf(list, exampleAttachment(list), undefined);
    expect(outcomes.filter(({ passes }) => !passes).map(({ event }) => event)).toEqual(["twice"]);
    expect(outcomes.map(({ event }) => event)).toEqual([
      "start",
      "second",
      "restart",
      "joined",
      "retry",
      "twice",
      "reboot",
      "stop",
      "gone",
    ]);
    expect(verdictCode(outcomes)).toBe(0);
    expect(verdictText(list, outcomes)).toContain("already exists (does not count: a list that names its interfaces");
  });

  test("only the second one is wrapped: CHECK of the first one sees its address", () => {
    expect(failures([macvlan, wrapped])).toContain(
      "restart macvlan: Failed to match addr 172.26.64.2/20 on interface eth0",
    );
  });

  test("a plain one: an ADD that comes again, and the leases of the last boot", () => {
    expect(failures([bridge, { type: "firewall" }])).toEqual([
      'retry bridge: container veth name ("eth0") peer provided ("...") already exists',
      "reboot bridge: failed to allocate for range 0: 172.26.64.8 has been allocated to example6, duplicate allocation is not allowed",
    ]);
  });

  test("a bridge without an address has the MAC of one of its ports", () => {
    const { isGateway: _, ...layer2 } = bridge;
    expect(failures([layer2])).toContainEqual(
      expect.stringMatching(/^joined bridge: Bridge interface disc0 Mac doesn't match: 02:/),
    );
  });

  test("a route whose gateway is elsewhere", () => {
    const ipam = { type: "host-local", subnet: "10.1.0.0/24", routes: [{ dst: "0.0.0.0/0", gw: "10.2.0.1" }] };
    expect(failures([{ ...macvlan, ipam }])).toEqual([
      "start macvlan: failed to add route '{0.0.0.0 00000000} via 10.2.0.1 dev eth0 metric 0 (Scope: universe, Table: 0)': network is unreachable",
    ]);
  });

  test("bridge writes the mask of its own default route in 16 bytes", () => {
    const ipam = { type: "static", addresses: [{ address: "10.1.0.5/32", gateway: "10.2.0.1" }] };
    expect(failures([{ ...bridge, isDefaultGateway: true, ipam }])).toContain(
      "start bridge: failed to add route '{0.0.0.0 00000000000000000000ffff00000000} via 10.2.0.1 dev eth0 metric 0 (Scope: universe, Table: 0)': network is unreachable",
    );
  });

  test("a link-local gateway is on every link", () => {
    const ipam = {
      type: "static",
      addresses: [{ address: "fd00:5::2/64", gateway: "fe80::1" }],
      routes: [{ dst: "::/0" }],
    };
    expect(failures([{ ...macvlan, ipam }])).not.toContainEqual(expect.stringContaining("start"));
  });

  test.each([
    [{ gateway: "172.16.6.1" }, "gateway 172.16.6.1 not in network 172.16.5.0/24"],
    [{ rangeStart: "172.16.5.255" }, "RangeStart 172.16.5.255 is after RangeEnd 172.16.5.254 in network 172.16.5.0/24"],
  ])("host-local refuses a range since 1.10.0: %j", (more, words) => {
    const ipam = { type: "host-local", ranges: [[{ subnet: "172.16.5.0/24", ...more }]] };
    expect(failures([{ ...macvlan, ipam }])).toContain(`start macvlan: invalid range set 0: ${words}`);
  });

  test("sbr moves the routes away that CHECK looks for", () => {
    expect(failures([macvlan, { type: "sbr" }])).toContain(
      "restart macvlan: Failed to find Gateway 172.16.5.1 for interface eth0",
    );
  });

  test("a second sbr for an interface finds no route to the gateway, wrapped and plain", () => {
    const words = "Failed to add default route to 172.16.5.1: network is unreachable";
    const list = (end: string) => [{ ...macvlan, type: `macvlan${end}` }, { type: `sbr${end}` }, { type: `sbr${end}` }];
    expect(failures(list(""))).toContain(`start sbr: ${words}`);
    expect(failures(list("-wrapper"))).toContain(`start sbr-wrapper: ${words}`);
  });

  // Recorded by `npm run verdict-truth`.
  const still = (address: string, more: object = {}) => ({
    ipam: { type: "static", addresses: [{ address, ...more }] },
  });
  const tap = { type: "tap-wrapper", ...local("10.60.0.0/24") };
  const second = (type: string, more: object) => ({ type, ...more, wrapper: { ifName: "eth1" } });
  const route = "{Ifindex: 3 Dst:";
  const end = "Flags: [] Table: 0 Realm: 0}:";

  test.each<[string, object[], string]>([
    [
      "ptp without a gateway",
      [{ type: "ptp", ...still("10.61.0.21/24") }],
      "start ptp: failed to add IP addr (&net.IPNet{IP:net.IP(nil), Mask:net.IPMask{0xff, 0xff, 0xff, 0xff}}) to veth: numerical result out of range",
    ],
    [
      "ptp without a gateway, in the subnet of another interface",
      [tap, second("ptp-wrapper", still("10.60.0.21/24"))],
      `start ptp-wrapper: failed to add route ${route} 10.60.0.0/24 Src: 10.60.0.21 Gw: <nil> ${end} file exists`,
    ],
    [
      "ptp without a gateway, after a default route",
      [
        { ...tap, ipam: { ...tap.ipam, routes: [{ dst: "0.0.0.0/0" }] } },
        second("ptp-wrapper", still("10.62.0.22/24")),
      ],
      `start ptp-wrapper: failed to add route ${route} <nil> Src: 10.62.0.22 Gw: <nil> ${end} file exists`,
    ],
    [
      "ptp with an address that is alone",
      [{ type: "ptp-wrapper", ...still("10.70.0.5/32") }],
      `start ptp-wrapper: failed to delete route ${route.replace("3", "2")} 10.70.0.5/32 Src: <nil> Gw: <nil> ${end} no such process`,
    ],
    [
      "tap with a bridge, which it looks for in the container",
      [{ ...tap, bridge: "br0" }],
      "start tap-wrapper: failed to get bridge br0: Link not found",
    ],
    [
      "a second tap of one name",
      [macvlan, second("tap-wrapper", still("10.61.0.21/24", { gateway: "10.61.0.1" }))],
      'twice tap-wrapper: failed to add IP addr {Interface:0x... Address:{IP:10.61.0.21 Mask:ffffff00} Gateway:10.61.0.1} to "eth1": file exists',
    ],
    [
      "a second ptp of one name",
      [{ ...macvlan, type: "macvlan-wrapper" }, second("ptp-wrapper", local("10.61.0.0/24"))],
      'twice ptp-wrapper: interface name eth1 is taken; ptp makes it, or has made it, for zone, interface eth0. Give each interface plugin of the list its own name: "wrapper": { "ifName": "eth1" }.',
    ],
  ])("%s", (_, plugins, words) => {
    expect(failures(plugins)).toContain(words);
  });

  test("a refused range, a mode that is none, a list without plugins", () => {
    const ipam = { type: "host-local", subnet: "10.1.0.5/24" };
    const words = "the network address is 10.1.0.0";
    expect(failures([{ ...macvlan, ipam }])).toEqual(
      ["start", "stop"].map(
        (event) =>
          `${event} macvlan: invalid range set 0: Network has host bits set. For a subnet mask of length 24 ${words}`,
      ),
    );
    expect(failures([{ ...macvlan, mode: "odd" }])).toEqual(['start macvlan: unknown macvlan mode: "odd"']);
    expect(failures([])).toEqual(["start undefined: error parsing configuration list: no plugins in list"]);
  });
});

describe("what Go's JSON does not take", () => {
  test.each([
    [
      "a number in quotes",
      { ...bridge, mtu: "1500" },
      "bridge: failed to load netconf: json: cannot unmarshal string into Go struct field NetConf.mtu of type int",
    ],
    [
      "ranges that are no sets",
      { ...bridge, ipam: { type: "host-local", ranges: [{ subnet: "10.1.0.0/24" }] } },
      "bridge: json: cannot unmarshal object into Go struct field IPAMConfig.ipam.ranges of type allocator.RangeSet",
    ],
    [
      "a route without a destination",
      { ...bridge, ipam: { ...bridge.ipam, routes: [{ gw: "172.26.64.1" }] } },
      "bridge: invalid CIDR address: <nil>",
    ],
    [
      "a list of capabilities",
      { ...bridge, capabilities: ["ips"] },
      "undefined: failed to parse plugin config 0: error parsing configuration: json: cannot unmarshal array into Go struct field PluginConf.capabilities of type map[string]bool",
    ],
    ["a path", { ...bridge, type: "./bridge" }, "./bridge: invalid plugin name: ./bridge"],
  ])("%s", (_, plugin, words) => {
    expect(failures([plugin])).toContain(`start ${words}`);
  });

  test("a sysctl that is a number: ADD says it in other words than DEL", () => {
    const words = "json: cannot unmarshal number into Go struct field";
    expect(failures([bridge, { type: "tuning", sysctl: { "net.core.somaxconn": 500 } }])).toEqual([
      `start tuning: ${words} sysctlCheck.sysctl of type string`,
      `stop tuning: failed to load netconf: ${words} TuningConf.sysctl of type string`,
    ]);
  });
});

test.each([
  ["a plugin", { type: "calico" }, "calico is unknown"],
  ["a misspelled plugin", { ...bridge, type: "brigde" }, "brigde is unknown; the nearest name is bridge"],
  ["a name of JavaScript's own", { type: "toString" }, "toString is unknown"],
  ["a reference plugin", { type: "vlan", master: "ens18" }, "vlan is not simulated here"],
  ["an IPAM plugin", { ...macvlan, ipam: { type: "dhcp" } }, "dhcp is not simulated here"],
  ["an IPAM plugin of others", { ...macvlan, ipam: { type: "whereabouts" } }, "whereabouts is unknown"],
  [
    "a misspelled IPAM plugin",
    { ...macvlan, ipam: { type: "host-locale" } },
    "host-locale is unknown; the nearest name is host-local",
  ],
  ["jq", { ...wrapped, wrapper: { jq: "." } }, "wrapper.jq is not run here"],
])("%s that the model does not know", (_, plugin, message) => {
  const { list, outcomes } = verdict([plugin]);
  expect(verdictData(outcomes)).toEqual([{ event: "start", passes: null, message, leaves: [] }]);
  expect(verdictText(list, outcomes)).toContain(`  start      not known: ${message}\n`);
  expect(verdictText(list, outcomes)).toMatch(/\n-> cni-wrappers try zone\.conflist\n$/);
  expect(verdictCode(outcomes)).toBe(2);
});
