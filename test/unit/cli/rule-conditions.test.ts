import { describe, expect, test } from "vitest";
import type { State } from "../../../cli/host/memory.ts";
import { lintFiles } from "../../../cli/lint/lint.ts";
import type { Context } from "../../../cli/lint/rule.ts";
import { parseListFile } from "../../../cli/lists/list-file.ts";
import { missingWrapperCure } from "../../../cli/rules/missing-plugin.ts";
import { entryOf } from "../support/journals.ts";

// The fixtures of test/fixtures/lint show each mistake once. Here are the conditions of the rules that they do not tell apart.

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
const foundBeside = (code: string, a: readonly Plugin[], b: readonly Plugin[], around: Omit<Context, "lists"> = {}) =>
  found(code, { "x/1.conflist": text(a, { name: "a" }), "x/2.conflist": text(b, { name: "b" }) }, around);

const listOf = (finds: string | undefined) => (finds === undefined ? [] : [finds]);

/** The plugins of a list, what the rule finds there, and the list's other keys. */
type Row = readonly [what: string, plugins: readonly Plugin[], finds?: string | undefined, own?: object];
/** The plugins of two lists of one directory, `a` and `b`, and what the rule finds in `b`. */
type Lists = readonly [what: string, a: readonly Plugin[], b: readonly Plugin[], finds?: string];

const ipam = { type: "dhcp" };
const eth1 = { ifName: "eth1" };
const caps = { portMappings: true };
const jq = { wrapper: { jq: "." } };
const old = { cniVersion: "0.3.1" };
const ptp = { type: "ptp" };
const macvlan = { type: "macvlan" };
const second = { type: "bridge-wrapper", ipam, wrapper: eth1 };

const withAddresses = (address: object, routes: readonly object[] = []) => ({
  ...macvlan,
  ipam: { type: "static", addresses: [address], routes },
});
const leased = (ranges: readonly object[], own: object = {}) => ({
  ...{ ...macvlan, ipam: { type: "host-local", ranges: ranges.map((range) => [range]) } },
  ...own,
});

const all = { dst: "0.0.0.0/0" };
const outside = { address: "10.1.0.2/24", gateway: "10.2.0.1" };
const noPair =
  '"bandwidth": bandwidth needs a veth pair, and eth0 is an interface of macvlan. Use it with bridge or ptp';
const named = (ifName: string) => ({ ...second, wrapper: { ifName } });
const unusable = (ifName: string, problem: string) =>
  `"${ifName}": the interface name "${ifName}" ${problem}. Use a short name with letters and digits, such as "eth1"`;
const ownBridge = (name: string, own: object = {}) => ({ type: "bridge-wrapper", bridge: name, ...own });
const actsOnOne = (type: string) =>
  `"${type}": ${type} acts on eth0 only, and the list makes eth0, eth0. Use ${type}-wrapper, and set wrapper.ifName if another interface is meant`;
const twoWith = (chained: Plugin) => [ptp, ptp, chained];
const asking = (wrapper: object, own: object = {}) => [
  { type: "macvlan-wrapper", ipam: { type: "host-local" }, wrapper, ...own },
];
const unknownKey = (key: string, type: string, known: string) =>
  `"${key}": ${type} does not know the key ${key} of CNI_ARGS. It knows ${known}`;
const publishing = (only: readonly number[], own: object = {}) => [
  { type: "portmap-wrapper", capabilities: caps, wrapper: { ports: { only } }, ...own },
  { type: "ptp-wrapper" },
];
const routedBy = (type: string, own: object) => ({ type, ipam: { type: "host-local", ...own } });
const on = (type: string, master: unknown = "ens18", own: object = {}) => ({ type, master, ...own });
const carries = (first: string, second: string, where = "") =>
  `"ens18": ens18 carries ${first} interfaces already, so it cannot carry ${second}${where}. Use another master, or ${first} for both`;
const modes = (second: string, first: string, where = "") =>
  `"ens18": all ipvlan interfaces of ens18 get the mode ${second}, so CHECK of the one with ${first} fails${where}. Use another master, or one mode for both`;
const promiscuous = (mark: string, bridge: string, own = "", where = "") =>
  `${mark}: macvlan makes ${bridge} promiscuous, so CHECK of bridge${own} fails${where}. Use another master for macvlan, or set "promiscMode": true for bridge${own}`;
const oneSet = { ipam: { type: "host-local", ranges: [[{ subnet: "10.1.0.0/24" }]] } };
const twoSets = { type: "bridge", isGateway: true, ipam: { ...oneSet.ipam, subnet: "10.2.0.0/24" } };
const twoGateways =
  '"bridge": eth0 and eth0 give the bridge cni0 different gateway addresses. Give each plugin its own bridge';
const inTable = { ...all, table: 100 };
const otherTable =
  '100: CHECK of ptp fails, because it looks for this route in the main table. Change the type to "ptp-wrapper"';
const smallMtu = (verb: string) =>
  `1279: with an MTU of 1279, eth0 has no IPv6 address: ${verb} fails. Use at least 1280`;
const noMaster =
  '"ipvlan": ipvlan has no master: ADD needs a default route on the host, and CHECK does not look for one. Set "master" to an interface of the host';
const isolating = (ingressPolicy: string, own: object = {}) => ({ type: "firewall", ingressPolicy, ...own });
const isolated = (policy: string) =>
  `"${policy}": firewall isolates the first interface of its result, which is macvlan's and no bridge. Put bridge first`;
const hostBits =
  '"10.9.1.5/16": 10.9.1.5/16 is not the address of a network: ADD fails. Write "10.9.0.0/16", or "10.9.1.5/32" for one address';
const tunings = (...all: object[]) => all.map((own) => ({ type: "tuning-wrapper", ...own }));
const contrary = (key: string) =>
  `"tuning-wrapper": tuning-wrapper and the tuning-wrapper before it expect different values of ${key} on eth0. Write all values of eth0 into one tuning`;
const spelled = (mac: string) =>
  `"${mac}": the kernel writes "02:aa:bb:cc:dd:ee", so CHECK fails. Write "02:aa:bb:cc:dd:ee"`;
const promiscBridge = { type: "bridge", bridge: "br0", promiscMode: true };
const otherMode =
  '"br0": bridge makes br0 promiscuous, so CHECK of bridge-wrapper fails: see a (1.conflist). Use another bridge for bridge, or set "promiscMode": true for bridge-wrapper';
const limit = { type: "bandwidth", egressRate: 1 };
const published = (first: Plugin, second: Plugin, own: object = {}) => [
  first,
  second,
  { type: "portmap", capabilities: caps, ...own },
];

const refused = (words: string, type: string) => `${words}. Correct it: ${type} refuses the whole configuration`;
const noMac = (mac: string) =>
  `"${mac}": mac must be the MAC address of one interface. Write six bytes, and an even first one, such as 02:00:00:00:00:01`;
const itsBridge = (mark: string, name: string) =>
  `"${mark}": ${name} is the plugin's own bridge, too. Change ifName or bridge`;
const otherRole = (role: string, words: string) => `"${role}": ${words} plugin. Leave role out`;
const secondRoute =
  '"0.0.0.0/0": eth1 has a default route for IPv4, and so has eth0. Keep the one that the container needs';
const macvlanRoute = (route: object = all) => routedBy("macvlan-wrapper", { routes: [route] });
const ptpRoute = { ...routedBy("ptp-wrapper", { routes: [all] }), wrapper: eth1 };
const plainPortmap = { type: "portmap", capabilities: caps };

const conditions: Readonly<Record<string, readonly Row[]>> = {
  "gateway-outside-subnet": [
    ["a route's own is link-local", [withAddresses({ address: "fd00::2/64" }, [{ dst: "::/0", gw: "fe80::1" }])]],
    ["an earlier route leads to it", [withAddresses(outside, [{ dst: "10.2.0.0/16", gw: "10.1.0.1" }, all])]],
    [
      "host-local refuses it",
      [routedBy("macvlan", { ranges: [[{ subnet: "10.1.0.0/24", gateway: "10.2.0.1" }]], routes: [all] })],
    ],
    [
      "what no plugin can read",
      [
        withAddresses(outside, [{ dst: {}, gw: "10.9.0.1" }]),
        withAddresses({ address: "$ADDRESS" }, [{ ...all, gw: "10.1.0.1" }]),
        { ...second, ipam: { type: "host-local", subnet: {}, routes: [{ ...all, gw: "10.1.0.1" }] } },
      ],
    ],
    [
      "a route's own, after a right one",
      [withAddresses({ ...outside, gateway: "10.1.0.1" }, [all, { dst: "10.9.0.0/16", gw: "10.8.0.1" }])],
      '"10.8.0.1": the gateway 10.8.0.1 of the route to 10.9.0.0/16 is not in 10.1.0.2/24. Use an address of the subnet',
    ],
  ],
  "early-firewall": [
    [
      "two interface plugins after it",
      [{ type: "ptp-wrapper", ipam }, { type: "firewall" }, second, { ...named("eth2"), type: "macvlan-wrapper" }],
      '"firewall": firewall makes no rules for eth1, which bridge-wrapper makes later, and CHECK misses them. Put firewall after macvlan-wrapper',
    ],
    ["one name twice", [{ type: "ptp-wrapper", ipam }, { type: "firewall" }, { type: "bridge-wrapper", ipam }]],
  ],
  "host-address": [
    [
      "no route",
      [withAddresses({ address: "10.1.0.2/32" })],
      '"10.1.0.2/32": CHECK of macvlan looks for a route to 10.1.0.2/32, and there is none. Add { "dst": "10.1.0.2/32" } to its routes',
    ],
  ],
  "bandwidth-without-veth": [
    ["a plugin that nobody knows", [{ type: "bridge2" }, { type: "bandwidth", ingressRate: 1 }]],
    ["another plugin", [macvlan, { type: "tuning" }]],
    ["a program decides", [macvlan, { type: "bandwidth-wrapper", ...jq }]],
    ["limits of nothing", [macvlan, { type: "bandwidth", ingressRate: 0, egressRate: 0 }], undefined, old],
    ["limits that are objects", [macvlan, { type: "bandwidth", ingressRate: {}, egressRate: {} }], undefined, old],
    ["a limit out", [macvlan, limit], noPair, old],
    ["a limit in", [macvlan, { type: "bandwidth", ingressRate: 1 }], noPair, old],
  ],
  "advertised-interface": [
    [
      "sorts before, and eth1 is taken",
      [{ type: "ptp-wrapper", ipam }, named("eth1"), named("Eth")],
      '"Eth": Nomad advertises the address of Eth instead of eth0, because its name sorts first. Use a name that sorts after eth0, such as "eth2"',
    ],
    ["nobody has the runtime's name", [named("backup"), named("eth1")]],
    ["is no name", [{ type: "ptp-wrapper", ipam }, named("a/b")]],
  ],
  "device-name": [
    ["its interface's", [ownBridge("disc0", { wrapper: { ifName: "disc0" } })], itsBridge("disc0", "disc0")],
    ["the runtime's, which it does not know at the first place", [ownBridge("eth0")]],
    ["the runtime's at a later place", [{ type: "ptp-wrapper" }, ownBridge("eth0")], itsBridge("bridge", "eth0")],
  ],
  "ignored-wrapper": [
    ["one of several interface plugins", [{ type: "bridge", wrapper: eth1 }, { type: "ptp-wrapper" }]],
  ],
  "interface-not-made": [
    ...["tuning", "bandwidth", "sbr", "vrf"].map(
      (type): Row => [
        `a plain ${type}, and no plugin makes eth0`,
        [{ type: "ptp-wrapper", wrapper: eth1 }, { type }],
        `"${type}": no plugin before ${type} makes eth0. Earlier plugins make eth1`,
      ],
    ),
    ["a plain one after eth0", [{ type: "ptp-wrapper" }, { type: "sbr" }]],
    ["a plain firewall", [{ type: "ptp-wrapper", wrapper: eth1 }, { type: "firewall" }]],
    ["no CHECK", [{ type: "ptp-wrapper", wrapper: eth1 }, { type: "tuning" }], undefined, old],
    ["a runtime that asks for lo", [{ type: "loopback" }, { type: "tuning" }]],
    ["perhaps of an unknown plugin", [{ type: "acme" }, { type: "ptp-wrapper", wrapper: eth1 }, { type: "tuning" }]],
  ],
  "shared-bridge": [
    ["one plugin that takes its own first address away", [{ ...twoSets, forceAddress: true }]],
    [
      "two such plugins",
      [{ ...twoSets, forceAddress: true }, ownBridge("cni0", { isGateway: true, ...oneSet })],
      twoGateways,
    ],
    [
      "one plugin whose two addresses are both others than another's",
      [ownBridge("cni0", { isGateway: true, ipam: { type: "host-local", subnet: "10.3.0.0/24" } }), twoSets],
      twoGateways,
    ],
  ],
  "ipv6-mtu": [
    ["a fixed address", [{ ...withAddresses({ address: "fd00::2/64" }), mtu: 1279 }], smallMtu("ADD")],
    ["no MTU", [{ ...withAddresses({ address: "fd00::2/64" }), mtu: 0 }]],
    ["no CHECK of tuning", [withAddresses({ address: "fd00::2/64" }), { type: "tuning", mtu: 1279 }], undefined, old],
    ["no CHECK", [{ ...withAddresses({ address: "fd00::2/64" }), mtu: 1279 }], smallMtu("ADD"), old],
    ["a program decides", [{ ...withAddresses({ address: "fd00::2/64" }), mtu: 1279, type: "macvlan-wrapper", ...jq }]],
    ["no interface", [{ type: "tuning", mtu: 1279 }]],
    ["another chained plugin", [{ ...withAddresses({ address: "fd00::2/64" }), type: "sbr", mtu: 1279 }]],
    ["no key of the plugin", [{ ...withAddresses({ address: "fd00::2/64" }), type: "host-device", mtu: 1279 }]],
  ],
  "ipvlan-master": [
    ["a key in another case", [{ type: "ipvlan", Master: "ens18" }]],
    ["an empty name", [on("ipvlan", "")], noMaster],
    ["no CHECK", [{ type: "ipvlan" }], undefined, old],
  ],
  "policy-without-bridge": [
    [
      "a wrapped one of a macvlan",
      [macvlan, isolating("isolated", { type: "firewall-wrapper" })],
      isolated("isolated"),
    ],
    ["the second of two bridges", [ownBridge("br0"), second, isolating("same-bridge")]],
    ["an open network", [macvlan, isolating("open")]],
    ["an object", [macvlan, isolating("", { ingressPolicy: {} })]],
    ["another plugin", [macvlan, { type: "tuning", ingressPolicy: "isolated" }]],
    ["a program decides", [macvlan, isolating("isolated", { type: "firewall-wrapper", ...jq })]],
    ["perhaps after a bridge", [{ type: "flannel" }, macvlan, isolating("isolated")]],
    ["nothing before it", [isolating("isolated"), macvlan]],
  ],
  "route-destination": [
    ["IPv6 without CHECK", [macvlanRoute({ dst: "fd01::5/64" })], undefined, old],
    ["IPv4 without CHECK", [macvlanRoute({ dst: "10.9.1.5/16" })], hostBits, old],
    ["no destination", [macvlanRoute({ dst: "10.9.1.5" })]],
    ["a program decides", [{ ...macvlanRoute({ dst: "10.9.1.5/16" }), ...jq }]],
    ["dhcp takes no routes of the list", [{ ...macvlan, ipam: { ...ipam, routes: [{ dst: "10.9.1.5/16" }] } }]],
  ],
  "contrary-tunings": [
    ["promisc of the second", tunings({}, { promisc: true }), contrary("promisc")],
    ["another length", tunings({ txQLen: 0 }, { txQLen: 5 }), contrary("txQLen")],
    ["one with all multicast", tunings({ allmulti: true }, { allmulti: false }), contrary("allmulti")],
    ["another MAC", tunings({ mac: "02:00:00:00:00:01" }, { mac: "02:00:00:00:00:02" }), contrary("mac")],
    ["one MAC, written in two ways", tunings({ mac: "02:AA:00:00:00:01" }, { mac: "02-aa-00-00-00-01" }, { mac: "" })],
    ["another sysctl", tunings({ sysctl: { "net.a": "1" } }, { sysctl: { "net.a": "2" } }), contrary("net.a")],
    ["null", tunings({}, { sysctl: { "net.a": null }, txQLen: null })],
    ["sysctls that every object has", tunings({}, { sysctl: { constructor: "1" } })],
    ["each has a value", tunings({ promisc: false, mtu: 1400 }, { mtu: 0, txQLen: 5, allmulti: null })],
    ["on two interfaces", [{ type: "tuning-wrapper", promisc: true, wrapper: eth1 }, { type: "tuning-wrapper" }]],
    ["no CHECK", tunings({}, { promisc: true }), undefined, old],
    [
      "another plugin",
      [
        { type: "ptp", mtu: 1300 },
        { type: "tuning", mtu: 1400 },
      ],
    ],
    ["a program decides", [{ type: "tuning-wrapper", promisc: true, ...jq }, { type: "tuning-wrapper" }]],
    [
      "after another interface's",
      [...tunings({}, { wrapper: eth1 }), { type: "tuning-wrapper", promisc: true }],
      contrary("promisc"),
    ],
  ],
  "kernel-spelling": [
    [
      "blanks around a number",
      tunings({ sysctl: { "net.a": " -1\n" } }),
      '" -1\\n": the kernel writes "-1", so CHECK fails. Write "-1"',
    ],
    ["dashes", tunings({ mac: "02-AA-bb-cc-dd-ee" }), spelled("02-AA-bb-cc-dd-ee")],
    ["dots", tunings({ mac: "02AA.bbcc.ddee" }), spelled("02AA.bbcc.ddee")],
    ["the kernel's own", tunings({ mac: "02:aa:bb:cc:dd:ee", sysctl: { "net.a": "1\t2", "net.b": "reno  cubic" } })],
    ["no MAC address", tunings({ mac: "02-AA:bb:cc:dd:ee" })],
    ["no texts", tunings({ mac: 7, sysctl: { "net.a": 7 } })],
    ["another plugin", [{ type: "tap", mac: "02:AA:BB:CC:DD:EE" }]],
    ["no CHECK", tunings({ mac: "02:AA:BB:CC:DD:EE" }), undefined, old],
    ["a program decides", [{ type: "tuning-wrapper", mac: "02:AA:BB:CC:DD:EE", ...jq }]],
  ],
  "disabled-check": [["a plugin may have no CHECK", [ptp, { type: "acme" }], undefined, { disableCheck: true }]],
  "duplicate-portmap": [
    ["one has conditions for IPv6", published({ ...plainPortmap, conditionsV6: ["-d", "fd00::2"] }, ptp)],
    [
      "two plain ones",
      [plainPortmap, plainPortmap],
      '"portmap": this portmap and the portmap before it publish the same ports, and only the first one\'s rules count. Divide the ports with "ports" in their wrapper blocks: "only" in one, "except" in the other',
    ],
  ],
  "network-name": [["no text", [ptp], 'null: the list has no name. Add "name": "..."', { name: null }]],
  "list-shape": [
    ["name", [ptp], '7: name must be a string. Name the network, as in "name": "zone"', { name: 7 }],
    [
      "cniVersion",
      [ptp],
      '7: cniVersion must be a string. Write the version as text, as in "cniVersion": "1.0.0"',
      { cniVersion: 7 },
    ],
    ["disableCheck", [ptp], "7: disableCheck must be true or false. Write true or false", { disableCheck: 7 }],
    ["no name", [{ type: null }], undefined, { name: null }],
    ["no switch", [ptp], "null: disableCheck must not be null. Write true or false", { disableCheck: null }],
    ["disableGC", [ptp], '"no": disableGC must be true or false. Write true or false', { disableGC: "no" }],
    ["a word that libcni takes", [ptp], undefined, { disableCheck: "TRUE", loadOnlyInlinedPlugins: "false" }],
  ],
  "plugin-value": [
    ["a fraction", [{ ...macvlan, mtu: 1.5 }], refused("1.5: mtu must be a whole number", "macvlan")],
    [
      "too little",
      [{ type: "bandwidth", ingressRate: -1, ingressBurst: 1 }],
      refused("-1: ingressRate must be at least 0", "bandwidth"),
    ],
    ["a list", [{ ...ptp, ipam: 7 }], refused("7: ipam must be an object", "ptp")],
    ["a number that is none in JSON", [{ ...ptp, mtu: "0140" }], refused('"0140": mtu must be a number', "ptp")],
    ["a key that this one needs", [{ type: "dummy", ipam: "x" }], refused('"x": ipam must be an object', "dummy")],
    ["a MAC address of a group", [{ type: "tuning", mac: "01-00-5E-00-00-01" }], noMac("01-00-5E-00-00-01")],
    ["a MAC address of nothing", [{ ...macvlan, mac: "00:00:00:00:00:00" }], noMac("00:00:00:00:00:00")],
    ["a MAC address with a digit too many", [{ ...macvlan, mac: "02:00:00:00:00:001" }], noMac("02:00:00:00:00:001")],
    [
      "MAC addresses",
      [
        { ...macvlan, mac: "0200.0000.00ff" },
        { ...macvlan, mac: "" },
        { ...macvlan, mac: null },
      ],
    ],
    [
      "a chain's name with a blank",
      [{ type: "firewall", iptablesAdminChainName: "MY CHAIN" }],
      '"MY CHAIN": iptablesAdminChainName must be the name of a chain. Use at most 28 characters without white space, and begin with a letter',
    ],
    [
      "a chain that firewalld has no use for",
      [{ type: "firewall", backend: "firewalld", iptablesAdminChainName: "MY CHAIN" }],
    ],
    [
      "texts that a program replaces",
      [
        { ...macvlan, type: "macvlan-wrapper", mac: "of the job", ...jq },
        { type: "bridge-wrapper", bridge: "", ...jq },
      ],
    ],
    [
      "names of chains",
      ["", "A", "ABCDEFGHIJKLMNOPQRSTUVWXYZ12"].map((name) => ({ type: "firewall", iptablesAdminChainName: name })),
    ],
    [
      "a MAC address that ip reads",
      [
        { type: "tap", mac: "2:0:0:0:0:1" },
        { type: "acme", mac: "any" },
      ],
    ],
    ["another spelling", [{ ...ptp, MTU: "1400" }], '"1400": MTU must be a number. Write 1400 without quotes'],
    // A host without iptables takes nftables (ensureBackend).
    [
      "conditions of a backend that the host decides",
      [{ type: "portmap", conditionsV4: ["ip", "daddr", "192.0.2.1"] }],
    ],
    [
      "conditions of nftables next to a chain of iptables",
      [{ type: "portmap", conditionsV6: ["ip6", "daddr", "::1"], externalSetMarkChain: "KUBE" }],
      refused('[: conditionsV6 needs "backend": "nftables"', "portmap"),
    ],
    ["no length", [{ type: "bridge", bridge: { length: 99 } }], refused("{: bridge must be a string", "bridge")],
    [
      "no constructor",
      [{ ...macvlan, mtu: { constructor: { name: {} } } }],
      refused("{: mtu must be a number", "macvlan"),
    ],
    [
      "an object for a word",
      [{ ...macvlan, mode: {} }],
      `{: mode must be "bridge" or "private" or "vepa" or "passthru". Correct it: macvlan refuses the whole configuration`,
    ],
    ["no value", [{ ...macvlan, mtu: null, mode: "", ipam: { type: "host-local", gateway: "" } }]],
    ["a type that every object has", [{ type: "constructor", mtu: "x" }]],
    ["an IPAM type that every object has", [{ ...ptp, ipam: { type: "constructor" } }]],
  ],
  "missing-capability": [
    [
      "of portmap",
      [{ type: "portmap" }],
      '"portmap": portmap gets no ports from the runtime, so it publishes none. Add "capabilities": { "portMappings": true }',
    ],
    [
      "of bandwidth",
      [{ type: "bandwidth", ingressRate: 0 }],
      '"bandwidth": bandwidth has no rates and gets none from the runtime, so it limits nothing. Add "capabilities": { "bandwidth": true }',
    ],
    ["rates in place of the runtime's", [{ type: "bandwidth", runtimeConfig: { bandwidth: { ingressRate: 8000 } } }]],
    ["a name that every object has", [{ type: "constructor" }]],
  ],
  "interface-name": [
    ["no part of a network's name", [{ ...second, wrapper: { ifName: "eth@1", network: "lan" } }]],
    ["a part of one", [named("eth@1")], unusable("eth@1", "cannot be a part of a network's name")],
    ["lo", [named("lo")], unusable("lo", "is taken in every network namespace")],
    ["default", [named("default")], unusable("default", "is reserved by the kernel")],
  ],
  "kept-leases": [
    [
      "shared memory ends with the host, unlike a directory of that name",
      [
        routedBy("macvlan-wrapper", { dataDir: "/dev/shm/cni" }),
        routedBy("macvlan-wrapper", { dataDir: "/dev/shmoo/cni" }),
      ].map((plugin) => ({ ...plugin, wrapper: { recover: "never" } })),
      '"never": after a reboot, the leases are still there and nothing frees them. Leave recover out, or set "dataDir": "/var/run/cni"',
    ],
  ],
  "lease-directory": [
    [
      "a program decides",
      [{ type: "ptp-wrapper", ipam: { type: "host-local", dataDir: "/tmp/leases" }, wrapper: { jq: "." } }],
    ],
  ],
  "unknown-capability": [
    ["containerd's own", [{ ...ptp, capabilities: { "io.kubernetes.cri.pod-annotations": true } }]],
  ],
  "moved-routes": [
    ["two routes in other tables", [routedBy("ptp", { routes: [all, inTable, inTable] })], otherTable],
    ["no CHECK", [routedBy("ptp", { routes: [inTable] })], undefined, old],
    ["one of two plain ones", [routedBy("ptp", { routes: [inTable] }), macvlan]],
    ["an object", [routedBy("ptp", { routes: [{ ...all, table: {} }] })]],
    ["of one of two plain interface plugins", [{ ...ptp, ipam }, { ...macvlan, ipam }, { type: "sbr-wrapper" }]],
    [
      "vrf after a plain plugin",
      [{ ...ptp, ipam }, { type: "vrf" }],
      '"vrf": CHECK of ptp fails, because vrf moves the routes of eth0. Change the type to "vrf-wrapper"',
    ],
    ["without CHECK", [{ ...ptp, ipam }, { type: "vrf" }], undefined, { disableCheck: true }],
  ],
  // The plugins take an empty version for none (cni/pkg/types/create, DecodeVersion).
  "unknown-version": [["an empty version", [macvlan], undefined, { cniVersion: "" }]],
  "no-check-version": [
    [
      "an empty version",
      [second],
      '"": a list without cniVersion has no CHECK, and Nomad replaces such allocations when a client restarts. Set "cniVersion": "1.0.0"',
      { cniVersion: "" },
    ],
    [
      "0.3.1",
      [{ type: "ptp-wrapper" }],
      '"0.3.1": cniVersion 0.3.1 has no CHECK, and Nomad replaces such allocations when a client restarts. Set "cniVersion": "1.0.0"',
      old,
    ],
    ["0.3.1 without a wrapper", [ptp], undefined, old],
    ["0.3.1, and firewall needs more", [{ type: "ptp-wrapper" }, { type: "firewall" }], undefined, old],
  ],
  "no-ipam": [["an unknown plugin before it may give addresses", [{ type: "acme" }, { type: "ipvlan" }]]],
  "plain-meta-interface": [
    ["mtu", twoWith({ type: "tuning", mtu: 9 }), actsOnOne("tuning")],
    ["mac", twoWith({ type: "tuning", mac: "x" }), actsOnOne("tuning")],
    ["promisc", twoWith({ type: "tuning", promisc: true }), actsOnOne("tuning")],
    ["allmulti", twoWith({ type: "tuning", allmulti: true }), actsOnOne("tuning")],
    ["txQLen", twoWith({ type: "tuning", txQLen: 9 }), actsOnOne("tuning")],
    ["nothing of an interface", twoWith({ type: "tuning", sysctl: null, promisc: false })],
    ["another plugin", twoWith({ type: "portmap", mtu: 9 })],
  ],
  "useless-args": [
    [
      "all",
      asking({ args: "keep" }),
      '"args": eth0 has the runtime\'s name, so it gets all requests anyway. Leave args out',
    ],
    ["none", asking({ args: {} }), '"args": args maps no key. Leave args out'],
    ["of host-local", asking({ args: { ZIP: "X" } }), unknownKey("ZIP", "macvlan", "MAC and IP")],
    ["of static", asking({ args: { GATEWAY: "X" } }, { ipam: { type: "static" } })],
    ["of dhcp", asking({ args: { IP: "X" } }, { ipam }), unknownKey("IP", "macvlan", "MAC")],
    [
      "without ipam",
      asking({ args: { IP: "X" } }, { type: "ptp-wrapper", ipam: {} }),
      unknownKey("IP", "ptp", "none, so leave args out"),
    ],
    ["of an unknown ipam", asking({ args: { ZIP: "X" } }, { ipam: { type: "acme" } })],
    ["a program decides", asking({ args: { ZIP: "X" }, jq: "." })],
    ["of an unknown plugin", asking({ args: { ZIP: "X" } }, { type: "acme-wrapper" })],
    ["a number", asking({ args: 7 })],
  ],
  "useless-ports": [
    ["none", publishing([]), '"ports": portmap-wrapper publishes no port at all. Name a port, or remove the plugin'],
    ["portmap gets no mappings: missing-capability says so", publishing([80], { capabilities: {} })],
    ["another plugin gets mappings", publishing([80], { type: "acme-wrapper" })],
    [
      "another plugin gets no mappings",
      publishing([80], { type: "acme-wrapper", capabilities: {} }),
      '"ports": acme-wrapper gets no port mappings, so there is nothing to select. Leave ports out',
    ],
  ],
  "several-default-routes": [
    ["two", [macvlanRoute(), ptpRoute], secondRoute],
    ["sbr between them", [macvlanRoute(), { type: "sbr-wrapper" }, ptpRoute]],
    ["tuning between them", [macvlanRoute(), { type: "tuning" }, ptpRoute], secondRoute],
    ["a program decides", [macvlanRoute(), { ...ptpRoute, wrapper: { ...eth1, jq: "." } }]],
    ["of one interface", [macvlanRoute(), { ...ptpRoute, wrapper: undefined }]],
    ["in another table", [macvlanRoute({ ...all, table: 7 }), ptpRoute]],
    [
      "with isDefaultGateway, bridge adds none to the list's own",
      [
        macvlanRoute(),
        {
          ...{ ...ptpRoute, isDefaultGateway: true },
          ...routedBy("bridge-wrapper", { ranges: [[{ subnet: "10.1.0.0/24" }]], routes: [all] }),
        },
      ],
      secondRoute,
    ],
    [
      "ptp has no isDefaultGateway",
      [
        macvlanRoute(),
        { ...ptpRoute, ...routedBy("ptp-wrapper", { ranges: [[{ subnet: "10.1.0.0/24" }]] }), isDefaultGateway: true },
      ],
    ],
  ],
  "shared-device": [
    ...[{ hwaddr: "x" }, { kernelpath: "x" }, { pciBusID: "x" }].map((device): Row => {
      const plugin = { type: "host-device", ...device };
      return [Object.keys(device).join(), [plugin, plugin], '"x": host-device has taken x already. Use another device'];
    }),
    ["no device", [{ type: "host-device" }, { type: "host-device" }]],
    ["one VLAN of two cards", [on("vlan", "ens18", { vlanId: 7 }), on("vlan", "ens19", { vlanId: 7 })]],
    ["a vlanId that is not vlan's", [on("vlan", "ens18", { vlanId: 7 }), on("macvlan", "ens18", { vlanId: 7 })]],
    ["macvlan and ipvlan", [on("macvlan"), on("ipvlan")], carries("macvlan", "ipvlan")],
    ["no master", [on("macvlan", ""), on("ipvlan", "")]],
    ["one in the container", [on("macvlan", "ens18", { linkInContainer: true }), on("ipvlan")]],
    ["passthru is macvlan's mode", [on("ipvlan", "ens18", { mode: "passthru" }), on("ipvlan")]],
    ["ipvlans of two modes", [on("ipvlan"), on("ipvlan", "ens18", { mode: "l3" })], modes("l3", "l2")],
    [
      "ipvlans of two modes, the second the usual one",
      [on("ipvlan", "ens18", { mode: "l3s" }), on("ipvlan")],
      modes("l2", "l3s"),
    ],
    ["ipvlans of one mode", [on("ipvlan"), on("ipvlan", "ens18", { mode: "l2" }), on("ipvlan", "ens18", { mode: "" })]],
    ["ipvlans of two modes on two cards", [on("ipvlan"), on("ipvlan", "ens19", { mode: "l3" })]],
    ["macvlans of two modes", [on("macvlan"), on("macvlan", "ens18", { mode: "private" })]],
    ["a program decides", [on("macvlan-wrapper", "ens18", jq), on("ipvlan")]],
    ["a bridge after its macvlan", [on("macvlan", "cni0"), { type: "bridge" }], promiscuous("{", "cni0")],
    ["another bridge", [{ type: "bridge", bridge: "disc0" }, on("macvlan", "cni0")]],
    ["a promiscuous bridge", [{ type: "bridge", promiscMode: true }, on("macvlan", "cni0")]],
    ["a macvlan in the container", [{ type: "bridge" }, on("macvlan", "cni0", { linkInContainer: true })]],
    [
      "a promiscuous bridge, and a macvlan in the container",
      [{ type: "bridge", promiscMode: true }, on("macvlan", "cni0", { linkInContainer: true })],
    ],
    ["an ipvlan on the bridge", [{ type: "bridge" }, on("ipvlan", "cni0")]],
    ["no CHECK of the bridge", [{ type: "bridge" }, on("macvlan", "cni0")], undefined, old],
  ],
  "unchained-version": [
    ["no address, by a program", [{ ...macvlan, type: "macvlan-wrapper", ...jq }], undefined, { cniVersion: "0.2.0" }],
    [
      "no address, by a plugin that nobody knows",
      [{ type: "acme", wrapper: { role: "creator" } }],
      undefined,
      { cniVersion: "0.2.0" },
    ],
    [
      "one address of each IP version",
      [leased([{ subnet: "10.1.0.0/24" }, { subnet: "fd00::/64" }])],
      undefined,
      { cniVersion: "0.2.0" },
    ],
    ["a version that the runtime chooses", [macvlan], undefined, { cniVersion: "0.2.0", cniVersions: ["1.0.0"] }],
    // ipvlan.go, cmdAdd: no ipam and addresses in prevResult.
    [
      "an ipvlan with the address of a plugin before it",
      [{ type: "acme" }, { type: "ipvlan", master: "eth0" }],
      undefined,
      { cniVersion: "0.2.0" },
    ],
    ["no address in any version", [ptp, { type: "dummy" }], undefined, { cniVersion: "0.2.0" }],
    [
      "an empty version",
      [macvlan],
      '"": a list without cniVersion cannot have an interface without an address, and macvlan has no ipam. Set "cniVersion": "1.0.0"',
      { cniVersion: "" },
    ],
  ],
  "plugin-type": [
    ["a number", [{ type: 7 }]],
    ["null", [{ type: null }], `{: the plugin has no type. Add "type": "..." with the name of the plugin's executable`],
  ],
  "useless-jq": [
    [
      "a comment",
      [{ type: "ptp-wrapper", wrapper: { jq: "# words\n. # more" } }],
      '"jq": this jq program returns its input. Leave jq out',
    ],
    ["another program", [{ type: "ptp-wrapper", wrapper: { jq: ". ." } }]],
    ["a number", [{ type: "ptp-wrapper", wrapper: { jq: 7 } }]],
    ["of a plain plugin", [{ type: "acme", ...jq }]],
  ],
  "useless-slaac": [
    [
      "a chained plugin",
      [{ type: "sbr-wrapper", wrapper: { slaac: {}, ...eth1 } }],
      '"slaac": sbr-wrapper makes no interface, so nothing waits for an address. Move slaac to the plugin that makes eth1',
    ],
    ["an interface plugin", [{ type: "ptp-wrapper", wrapper: { slaac: {} } }]],
    ["a plain one", [{ type: "sbr", wrapper: { slaac: {} } }, { type: "ptp-wrapper" }]],
    ["none", [{ type: "sbr-wrapper", wrapper: {} }]],
  ],
  "wrong-role": [
    [
      "meta of an interface plugin",
      [{ type: "ptp-wrapper", wrapper: { role: "meta" } }, { type: "tuning-wrapper" }],
      otherRole("meta", "ptp is an interface plugin, not a chained"),
    ],
    [
      "creator of a chained plugin",
      [{ type: "sbr-wrapper", wrapper: { role: "creator" } }, { type: "tuning-wrapper" }],
      otherRole("creator", "sbr is a chained plugin, not an interface"),
    ],
    ["of an unknown plugin", [{ type: "acme-wrapper", wrapper: { role: "meta" } }, { type: "tuning-wrapper" }]],
    ["of a plain plugin", [{ type: "sbr", wrapper: { role: "creator" } }, { type: "tuning-wrapper" }]],
  ],
  "unnamed-delegate": [
    [
      "cni-wrappers itself",
      [{ type: "cni-wrappers" }, { type: "cni-wrappers", wrapper: { delegate: "ptp" } }, { type: "ptp-wrapper" }, ptp],
      '"cni-wrappers": cni-wrappers does not say which plugin to run. Write the plugin\'s wrapper, such as "bridge-wrapper", or set wrapper.delegate',
    ],
  ],
  "shared-network": [
    [
      "two limits",
      [ptp, limit, limit],
      '"bandwidth": this bandwidth and the bandwidth before it have one network (zone), so they share an ifb device. Use bandwidth-wrapper, and set wrapper.ifName',
    ],
    ["one limits nothing", [ptp, limit, { ...limit, egressRate: 0 }]],
    ["a limit that is an object", [ptp, limit, { ...limit, egressRate: {} }]],
    ["another plugin", [ptp, limit, { ...limit, type: "tuning" }]],
    ["a program decides", [ptp, limit, { ...limit, type: "bandwidth-wrapper", ...jq }]],
  ],
  "unreachable-port": [
    [
      "of a plain list",
      published(macvlan, { type: "bridge", ipam }),
      '"portmap": portmap publishes on eth0, an interface of macvlan, which its own host does not reach. Use bridge-wrapper with an ifName of its own, such as "eth1", and portmap-wrapper with the same ifName',
    ],
    ["the bridge has no address", published({ type: "macvlan-wrapper" }, { ...second, ipam: undefined })],
    ["vlan reaches its host", published({ type: "vlan-wrapper" }, second)],
    ["no ports", published({ type: "macvlan-wrapper" }, second, { capabilities: {} })],
    ["another plugin", published({ type: "macvlan-wrapper" }, second, { type: "tuning" })],
    ["no bridge", published({ type: "macvlan-wrapper" }, { ...second, type: "vlan-wrapper" })],
  ],
  "unwrapped-creator": [
    [
      "beside a wrapped one",
      [ptp, { type: "bridge-wrapper", wrapper: eth1 }],
      '"ptp": ptp creates an interface and is not wrapped. Change the type to "ptp-wrapper"',
    ],
    ["the only one", [ptp, { type: "tuning" }]],
  ],
};

describe.each(Object.entries(conditions))("%s", (code, rows) => {
  test.for(rows)("%s", ([, plugins, finds, own = {}]) => {
    expect(foundIn(code, plugins, own)).toEqual(listOf(finds));
  });
});

const subnet = "10.1.0.0/24";
const onBridge = (range: object = {}, own: object = {}) =>
  leased([{ subnet, ...range }], { type: "bridge-wrapper", bridge: "disc0", ...own });
const onLan = (range: object = {}, own: object = {}) =>
  leased([{ subnet, ...range }], { type: "macvlan-wrapper", master: "ens18", ...own });
const both = (address = "10.1.0.2", marked = subnet) =>
  `"${marked}": eth0 can get ${address}, and so can eth0 of a (1.conflist): two containers would have one address. Use another subnet, or divide this one with rangeStart and rangeEnd`;
const gateways = (subnet: string) => onBridge({ subnet }, { isGateway: true });
const seen = ": see a (1.conflist)";

const conditionsOfTwo: Readonly<Record<string, readonly Lists[]>> = {
  "overlapping-ranges": [
    ["one bridge", [onBridge()], [onBridge()], both()],
    ["one bridge, with a VLAN that is an object", [onBridge()], [onBridge({}, { vlan: {} })]],
    [
      "two bridges that the host routes to",
      [onBridge({}, { isGateway: true })],
      [onBridge({}, { bridge: "disc1", isDefaultGateway: true })],
      both(),
    ],
    ["a master of the container", [onLan({}, { linkInContainer: true })], [onLan({}, { linkInContainer: true })]],
    ["no master", [onLan({}, { master: "" })], [onLan({}, { master: "" })]],
    ["of vlan, nobody knows", [onLan({}, { type: "vlan-wrapper" })], [onLan({}, { type: "vlan-wrapper" })]],
    ["parts that meet", [onLan({ rangeEnd: "10.1.0.100" })], [onLan({ rangeStart: "10.1.0.100" })], both("10.1.0.100")],
    [
      "the wide part of a list and a narrow one before it",
      [leased([{ subnet: "10.1.0.0/29" }, { subnet }], { type: "macvlan-wrapper", master: "ens18" })],
      [onLan({ subnet: "10.1.0.128/25" })],
      both("10.1.0.130", "10.1.0.128/25"),
    ],
  ],
  "shared-bridge": [
    [
      "one in the other, of IPv6",
      [gateways("fd00::/48")],
      [gateways("fd00::/64")],
      '"bridge": eth0 and eth0 of a (1.conflist) give the bridge disc0 different gateway addresses. Give each plugin its own bridge',
    ],
  ],
  "shared-flannel": [
    [
      "two lists",
      [{ type: "flannel" }],
      [{ type: "flannel" }],
      '"flannel": this flannel and a (1.conflist) keep their files in /var/lib/cni/flannel, by the container alone. Give each flannel its own dataDir',
    ],
  ],
  "shared-device": [
    ["ipvlan, then macvlan", [on("ipvlan")], [on("macvlan")], carries("ipvlan", "macvlan", seen)],
    ["ipvlans of two modes", [on("ipvlan")], [on("ipvlan", "ens18", { mode: "l3" })], modes("l3", "l2", seen)],
    ["ipvlans of one mode", [on("ipvlan")], [on("ipvlan")]],
    [
      "each in its container",
      [on("macvlan", "eth0", { linkInContainer: true })],
      [on("ipvlan", "eth0", { linkInContainer: true })],
    ],
    ["one in the container", [on("macvlan")], [on("ipvlan", "ens18", { linkInContainer: true })]],
    ["a program decides in the first", [on("macvlan-wrapper", "ens18", jq)], [on("ipvlan")]],
    ["a program decides in the second", [on("macvlan")], [on("ipvlan-wrapper", "ens18", jq)]],
    [
      "a bridge, then a macvlan on it",
      [ownBridge("br0")],
      [on("macvlan", "br0")],
      promiscuous('"br0"', "br0", "-wrapper", seen),
    ],
    [
      "a macvlan on a bridge, then it",
      [on("macvlan", "br0")],
      [ownBridge("br0")],
      promiscuous('"br0"', "br0", "-wrapper", seen),
    ],
    ["a macvlan without a master", [on("macvlan", "")], [ownBridge("")]],
    ["two bridges of one mode", [promiscBridge], [promiscBridge]],
    ["a bridge that another one makes promiscuous", [promiscBridge], [ownBridge("br0")], otherMode],
    ["the promiscuous one last", [ownBridge("br0")], [promiscBridge], otherMode],
    ["two bridges that are not", [ownBridge("br0")], [ownBridge("br0")]],
  ],
};

describe.each(Object.entries(conditionsOfTwo))("%s", (code, rows) => {
  test.for(rows)("of two lists: %s", ([, a, b, finds]) => {
    expect(foundBeside(code, a, b)).toEqual(listOf(finds));
  });
});

const isText = "must be a string";
test.each<[object, readonly string[]]>([
  [
    { type: "static", addresses: 7, dns: { options: 7 }, routes: [{ gw: "x", mtu: {}, advmss: {}, table: {} }] },
    [
      ...["addresses must be a list", "dns.options must be a list"],
      ...["routes[0].dst is missing", "routes[0].gw must be an IP address", "routes[0].mtu must be a number"],
      ...["routes[0].advmss must be a number", "routes[0].table must be a number"],
    ],
  ],
  [
    {
      type: "dhcp",
      daemonSocketPath: 7,
      request: [{ option: 7, skipDefault: 7 }],
      provide: [{ option: 7, value: 7 }],
    },
    [
      ...[`daemonSocketPath ${isText}`, `request[0].option ${isText}`, "request[0].skipDefault must be a boolean"],
      ...[`provide[0].option ${isText}`, `provide[0].value ${isText}`],
    ],
  ],
  [
    { type: "dhcp", provide: [{ fromArg: 7 }], priority: {} },
    [`provide[0].fromArg ${isText}`, "priority must be a number"],
  ],
  [
    { type: "host-local", subnet: "", ranges: [[{}]] },
    ["subnet must be an address with a prefix length, such as 10.0.0.0/24", "ranges[0][0].subnet is missing"],
  ],
])("plugin-value: of the keys of ipam: %j", (ipam, expected) => {
  const lines = foundIn("plugin-value", [{ ...ptp, ipam }]);
  expect(lines.map((line) => /: ipam\.(.*?)\. [A-Z]/.exec(line)?.[1])).toEqual(expected);
});

test("unknown-key leaves comments alone, and no other key", () => {
  const comments = ["_a", "#", "$a", "/", "x-a", "comment", "MyComments", "description", "note", "Notes"];
  const keys = [...comments, "a_b", "a$", "notes2", "MTU"];
  const lines = foundIn("unknown-key", [{ ...ptp, ...Object.fromEntries(keys.map((key) => [key, 1])) }]);
  expect(lines.map((line) => line.split(":")[0])).toEqual(['"a_b"', '"a$"', '"notes2"']);
});

test("unknown-key: a newer plugin may know another key, but not a misspelled one", () => {
  const plugins = { find: () => ({ version: "99.0.0" }) } as unknown as Context["plugins"];
  const foundBy = (key: string) => foundIn("unknown-key", [{ ...ptp, [key]: true }], {}, { plugins });
  expect(foundBy("ipMsq")).toEqual(['"ipMsq": ptp ignores the key ipMsq. The nearest key is ipMasq']);
  expect(foundBy("notes")).toEqual([]);
});

describe("overlapping-ranges", () => {
  test("of one list, the leases are kept apart", () => {
    expect(foundIn("overlapping-ranges", [onLan(), onBridge({}, { wrapper: eth1 })])).toEqual([
      `"${subnet}": eth1 can get 10.1.0.2, and so can eth0; their leases are kept apart. Use another subnet, or set wrapper.network to "zone"`,
    ]);
  });

  test("of three lists, each names the first before it, whatever their subnets begin with", () => {
    const line = (marked: string, address: string, other: string) =>
      both(address, marked).replace("a (1.conflist)", other);
    const [low, high] = ["10.1.0.0/25", "10.1.0.128/25"];
    const foundFor = (...subnets: string[]) => {
      const lists = subnets.map((one, index) => text([onLan({ subnet: one })], { name: `n${index}` }));
      return found("overlapping-ranges", Object.fromEntries(lists.map((list, index) => [`x/${index}.conflist`, list])));
    };
    expect(foundFor(high, low, subnet)).toEqual([line(subnet, "10.1.0.130", "n0 (0.conflist)")]);
    expect(foundFor(low, high, subnet)).toEqual([line(subnet, "10.1.0.2", "n0 (0.conflist)")]);
    expect(foundFor(subnet, high, low)).toEqual([
      line(high, "10.1.0.130", "n0 (0.conflist)"),
      line(low, "10.1.0.2", "n0 (0.conflist)"),
    ]);
    expect(foundFor(low, subnet, high)).toEqual([
      line(subnet, "10.1.0.2", "n0 (0.conflist)"),
      line(high, "10.1.0.130", "n1 (1.conflist)"),
    ]);
    expect(foundFor(low, high)).toEqual([]);
  });
});

const anObject = 'A list is an object: { "cniVersion": "1.0.0", "name": "...", "plugins": [...] }';
const [listed, single] = [text([ptp]), '{"name":"zone","type":"ptp"}'];
const asOne = (end: string) =>
  `"plugins": runtimes read a ${end} as one plugin, and this is a list. Let the file end with .conflist`;

const noNumber = "JSON has no such number. Write decimal digits, such as 1500 or 0.5";
const noWord = "JSON has only true, false and null, in lower case. Write one of them";
const noValue = "this is not a JSON value. Put text into double quotes";
const ofTemplate = "this is a part of a template. Look at the file that the template makes";

/** A file's text, what the rule finds there, and its name. */
type FileRow = readonly [what: string, text: string, finds?: string | undefined, path?: string];
const files: Readonly<Record<string, readonly FileRow[]>> = {
  "duplicate-key": [
    ["a key twice", '{"a":1,\n"a":2}', '"a": the key a is ignored, because line 2 has it again. Delete one of them'],
  ],
  "unknown-key": [
    [
      "the runtime's in a file with one plugin",
      '{"cniVersion":"1.0.0","name":"zone","type":"ptp","prevResult":{}}',
      '"prevResult": prevResult is the runtime\'s to set, and belongs in no list. Delete it',
      "zone.conf",
    ],
  ],
  "list-shape": [
    ["no version of one plugin", '{"cniVersion":null,"name":"zone","type":"ptp"}', undefined, "zone.conf"],
  ],
  "invalid-json": [
    ["a list", "[]", `[: the file has no JSON object. ${anObject}`],
    ["nothing", " \n", `: the file is empty. ${anObject.replace("A list is an object", "Write a list")}`],
    ["a mark", "\uFEFF{}", ": the file begins with a byte order mark. Save it as UTF-8 without a byte order mark"],
    ["no brace", '{"a":1\n', ": a closing brace is missing. Add } where the object ends"],
    ["a word", '{"a":yes}', "yes: this is not a JSON value. Put text into double quotes"],
    ["a truth of Python", '{"a":True}', `True: ${noWord}`],
    ["nothing of Python", '{"a":None}', `None: ${noWord}`],
    ["a zero before a number", '{"a":[0140]}', `140: ${noNumber}`],
    ["a hexadecimal number", '{"a":0x1F, "b":1}', `x1F: ${noNumber}`],
    ["a number in groups", '{"a":1_500\n}', `_500: ${noNumber}`],
    ["a plus", '{"a":+5}', `+5: ${noNumber}`],
    ["a fraction without a zero", '{"a": .5}', `.5: ${noNumber}`],
    ["a version without quotes", '{"a":1.0.0}', `.0: ${noValue}`],
    ["a subnet without quotes", '{"a":10.1.0.0/24}', `.0.0: ${noValue}`],
    ["numbers in a row", '{"a":[1 2]}', "2: a comma is missing before this. Add a comma after the previous entry"],
    ["a job", 'job "web" {}', `job: this is not a JSON value. ${anObject}`],
    ["a template's value", '{"mtu":{{ mtu }}}', `{: ${ofTemplate}`],
    ["a template's condition", '{\n{{- if .Values.bridge }}\n"a":1}', `{: ${ofTemplate}`],
    ["a template's condition in a list", '{"a":[{},{% if b %}{}]}', `%: ${ofTemplate}`],
    ["a template's variable", '{"mtu":{{ $mtu }}}', `{: ${ofTemplate}`],
    ["a template's call", '{"mtu":{{ (index .mtus 0) }}}', `{: ${ofTemplate}`],
    ["a template's comment", "{{/* of Helm */}}\n{}", `{: ${ofTemplate}`],
    ["a place that Calico's installer fills", '{"mtu":__CNI_MTU__}', `__CNI_MTU__: ${ofTemplate}`],
    ["a place that configure fills", '{"mtu":@MTU@}', `@MTU@: ${ofTemplate}`],
    ["a shell's variable", '{"mtu":$MTU}', `$MTU: ${ofTemplate}`],
    ["a shell's variable alone", "$CONFLIST", `$CONFLIST: ${ofTemplate}`],
    ["a shell's quotes", '{"a":"\'"$a"\'"}', `$a: ${ofTemplate}`],
    ["a place of printf", '{"mtu":%d}', `%d: ${ofTemplate}`],
    ["two braces", '{"plugins":{{"a":1}}}', "{: a key is expected here. Delete the comma before it, or add the key"],
    [
      "no bracket",
      '{"a":[{}}',
      "}: a closing bracket is missing before this. Add ] where the list ends, or delete this brace",
    ],
    [
      "no brace in a list",
      '{"a":[{"b":1]}',
      "]: a closing brace is missing before this. Add } where the object ends, or delete this bracket",
    ],
    ["a word processor's quotes", '{"a":“b”}', '“b”: JSON has no typographic quotes. Write straight ones: "'],
    ["bytes", '{"a":\uFFFD}', "\uFFFD: the file is not UTF-8 text. Save it as UTF-8"],
    ["UTF-16", "\0{\0}", "\0: the file is not UTF-8 text. Save it as UTF-8"],
    [
      "a text without an end",
      '{"a":"b\n}',
      '"b: this text has no closing quote in its line. Add a double quote where it ends',
    ],
    ["half a file", '{"a":"b', '"b: this text has no closing quote in its line. Add a double quote where it ends'],
    [
      "a tab in a text",
      '{"a":"b\tc"}',
      '"b\tc": a tab or another control character is in this text. Write \\t for a tab, or delete it',
    ],
    [
      "a backslash",
      '{"a":"C:\\x"}',
      '"C:\\x": a backslash in this text begins no escape. Write two of them for a backslash',
    ],
    [
      "a code point",
      '{"a":"\\u00g0"}',
      '"\\u00g0": four hexadecimal digits must follow \\u. Write the character itself',
    ],
    ["half a number", '{"a":1.}', "1.: this number is not complete. Write its digits, or put text into double quotes"],
    ["a shell's comment", '{\n# ours\n"a":1}', "#: JSON has no comments. Delete the comment"],
    ["half a comment", '{"a":1 /* ours', "/* ours: JSON has no comments. Delete the comment"],
  ],
  "wrong-ending": [
    ["a list in a .conf", listed, asOne(".conf"), "zone.conf"],
    ["a list in a .json", listed, asOne(".json"), "zone.json"],
    ["both in a .conf", '{"type":"ptp","plugins":[]}', undefined, "zone.conf"],
    ["one plugin in a .conf", single, undefined, "zone.conf"],
    [
      "one plugin in a .conflist",
      single,
      '"type": a .conflist needs a list of plugins, and this is one plugin. Write it into "plugins": [...], or let the file end with .conf',
    ],
    ["neither in a .conflist", "{}"],
    [
      "one plugin in a file that nobody reads",
      single,
      '"type": no runtime reads a file that ends with .conflits. Let the file end with .conflist',
      "zone.conflits",
    ],
    ["a list on stdin", listed, undefined, "stdin"],
  ],
};

describe.each(Object.entries(files))("%s", (code, rows) => {
  test.for(rows)("%s", ([, json, finds, path = "zone.conflist"]) => {
    expect(found(code, { [path]: json })).toEqual(listOf(finds));
  });
});

test.each([
  ["brige-wrapper", 'Did you mean "bridge-wrapper"?'],
  ["brigde-wrapper", 'Did you mean "bridge-wrapper"?'],
  ["acme-wrapper", "If the plugin acme is there, cni-wrappers install --plugins acme makes its wrapper"],
])("what to do if %s is missing", (type, cure) => {
  expect(missingWrapperCure(type, `failed to find plugin "${type}" in path [/opt/cni/bin]`)).toBe(cure);
  expect(missingWrapperCure(type, "Link not found")).toBeUndefined();
  const plugins = { find: () => undefined } as unknown as Context["plugins"];
  const message = `"${type}": no directory of --cni-path has ${type}. ${cure}`;
  expect(foundIn("missing-plugin", [{ type }], {}, { plugins })).toEqual([message]);
  expect(foundIn("missing-plugin", [{ type }])).toEqual([]);
});

test.each([
  ["another plugin's entry", [entryOf({ type: "ptp", ifName: "eth1", delegateNetwork: "zone-eth1" })], []],
  ["a lease of another network", [], [{ network: "shop", containerId: "c1", ifName: "eth1" }]],
])("changed-network: %s is nothing of the plugin", (_, entries, leases) => {
  const state = { entries, leases, unreadable: [] } as unknown as State;
  const plugins = [{ type: "ptp-wrapper" }, { type: "bridge-wrapper", wrapper: { ...eth1, network: "lan" } }];
  expect(foundIn("changed-network", plugins, {}, { state })).toEqual([]);
});

test("renamed-network: a plain plugin makes nothing that a journal has", () => {
  const entries = [entryOf({ network: "old", type: "bridge", ifName: "eth0" })];
  const state = { entries, leases: [], unreadable: [] } as unknown as State;
  expect(foundBeside("renamed-network", [{ type: "bridge" }], [second], { state })).toEqual([]);
});

test.each([
  ["of the macvlan's list", {}, { disableCheck: true }, [promiscuous('"br0"', "br0", "-wrapper", seen)]],
  ["of the bridge's list", { disableCheck: true }, {}, []],
])("shared-device: no CHECK %s", (_, first, own, finds) => {
  const bridgeFirst = text([ownBridge("br0")], { name: "a", ...first });
  const files = { "x/1.conflist": bridgeFirst, "x/2.conflist": text([on("macvlan", "br0")], { name: "b", ...own }) };
  expect(found("shared-device", files)).toEqual(finds);
});

test("duplicate-network: a list of another directory has the name", () => {
  expect(found("duplicate-network", { "x/zone.conflist": text([ptp]), "y/zone.conflist": text([ptp]) })).toEqual([]);
});

test("crio-ports: nobody knows which address of an interface before is the first", () => {
  const later = { ...second, ipam: { type: "host-local", subnet: "10.50.0.0/24" } };
  const portmap = { type: "portmap-wrapper", capabilities: caps };
  expect(foundIn("crio-ports", [{ type: "ptp-wrapper", ipam }, later, portmap], {}, { hasCrio: true })).toEqual([]);
});

test("unsuitable-device: ipvlan takes a larger mtu than its master's", () => {
  const links = [{ ifindex: 2, ifname: "ens18", mtu: 1500, flags: ["UP"] }];
  expect(foundIn("unsuitable-device", [on("ipvlan", "ens18", { mtu: 9000 })], {}, { links })).toEqual([]);
});

test.each([
  ["a plugin", false, ['"bridge": bin/bridge ends with SIGSEGV when it starts: it is damaged. Install it again']],
  ["a wrapper, whose plugin may be the damaged one,", true, []],
])("not-executable: %s that crashes", (_, isWrapper, finds) => {
  const file = { path: "bin/bridge", isProgram: true, isExecutable: true, isWrapper, crash: "SIGSEGV" };
  const plugins = { find: () => file } as unknown as Context["plugins"];
  expect(foundIn("not-executable", [{ type: "bridge" }], {}, { plugins })).toEqual(finds);
});

test("missing-delegate: a plugin that is not executable is another rule's", () => {
  const file = (type: string) => ({ path: `bin/${type}`, isProgram: true, isExecutable: false });
  const find = (type: string) => ({ ...file(type), isWrapper: type === "bridge-wrapper" });
  const plugins = { find, findDelegate: () => undefined } as unknown as Context["plugins"];
  expect(foundIn("missing-delegate", [{ type: "bridge-wrapper" }], {}, { plugins })).toEqual([]);
});

test("invalid-json: what is missing at the end is shown behind the last text", () => {
  const [finding] = lintFiles([parseListFile("zone.conflist", '{\n  "name": "zone"\n\n\n')]);
  expect(finding?.position).toEqual({ line: 2, column: 17 });
});

test("drop-in-not-installed: a plain plugin in the wrapper's place", () => {
  const plugins = [{ type: "bridge" }, { ...macvlan, wrapper: eth1 }];
  const foundWith = (isWrapper: boolean) => {
    const installed = { find: (type: string) => ({ path: `bin/${type}`, isWrapper }) };
    return foundIn("drop-in-not-installed", plugins, {}, { plugins: installed as unknown as Context["plugins"] });
  };
  const plain = ({ type }: Plugin) =>
    `"${type}": bin/${type} is the plain plugin. Link cni-wrappers as ${type} in a directory that comes before, or change the type to "${type}-wrapper"`;
  expect(foundWith(false)).toEqual(plugins.map(plain));
  expect(foundWith(true)).toEqual([]);
  expect(foundIn("drop-in-not-installed", plugins)).toEqual([]);
});

test("duplicate-interface: the name in the hint is free, also among later plugins", () => {
  const plugins = [{ type: "macvlan-wrapper" }, { type: "bridge-wrapper" }, { type: "ptp-wrapper", wrapper: eth1 }];
  expect(foundIn("duplicate-interface", plugins)).toEqual([
    '"type": bridge-wrapper makes eth0, which macvlan-wrapper makes already. Set wrapper.ifName to another name, such as "eth2"',
  ]);
});
