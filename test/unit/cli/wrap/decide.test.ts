import { describe, expect, test } from "vitest";
import { checkWishedName, decide, decideAlone, type Known, wishedNames } from "../../../../cli/wrap/decide.ts";
import { parsedList } from "../explain/support.ts";

type Plugin = Record<string, unknown>;

const ipam = { type: "host-local" };
const macvlan = { type: "macvlan", ipam };
const bridge = { type: "bridge", bridge: "disc0", isGateway: true, ipam };
const ptp = { type: "ptp", ipam };
const firewall = { type: "firewall" };
const sbr = { type: "sbr" };
const portmap = { type: "portmap" };
const tuning = { type: "tuning" };

const listFor = (plugins: readonly Plugin[], more: Plugin = {}) =>
  parsedList({ cniVersion: "1.0.0", name: "zone", ...more, plugins });

/** Each changed plugin in short: its index, new type, and new keys of its block. */
function changesOf(plugins: readonly Plugin[], known?: Known): string[] {
  return decide(listFor(plugins), known).plugins.map(({ index, becomes, wrapper }) => {
    const keys = Object.entries(wrapper).map(([key, value]) => ` ${key}=${value}`);
    return `${index} ${becomes}${keys.join("")}`;
  });
}

function notesOf(plugins: readonly Plugin[], known?: Known, more?: Plugin): readonly string[] {
  return decide(listFor(plugins, more), known).notes;
}

const wrapped = (plugin: Plugin, wrapper?: Plugin) => ({
  ...plugin,
  type: `${plugin.type}-wrapper`,
  ...(wrapper && { wrapper }),
});

const bridgeOfEth1 = wrapped(bridge, { ifName: "eth1" });
const namedBridge = (ifName: string) => ({ ...bridge, wrapper: { ifName } });
const inTable = (table: number) => ({
  ...macvlan,
  ipam: { type: "host-local", subnet: "10.1.0.0/24", routes: [{ dst: "10.9.0.0/16" }, { dst: "10.8.0.0/16", table }] },
});
const mine = { type: "mine", wrapper: { role: "meta" } };
const both = ["0 macvlan-wrapper", "1 bridge-wrapper ifName=eth1"];
const two = ["0 bridge-wrapper", "2 macvlan-wrapper ifName=eth1"];

test.each<[string, readonly Plugin[], readonly string[]]>([
  ["two creators", [macvlan, bridge], both],
  ["three creators", [macvlan, bridge, ptp], [...both, "2 ptp-wrapper ifName=eth2"]],
  ["one creator", [macvlan, firewall, portmap], []],
  ["no creator", [{ type: "calico" }, sbr], []],
  [
    "chained plugins before and behind the creators stay plain",
    [tuning, bridge, macvlan, firewall, portmap, mine],
    ["1 bridge-wrapper", "2 macvlan-wrapper ifName=eth1"],
  ],
  [
    "a chained plugin between creators is wrapped where it is",
    [bridge, firewall, portmap, macvlan, tuning],
    ["0 bridge-wrapper", "1 firewall-wrapper", "2 portmap-wrapper", "3 macvlan-wrapper ifName=eth1"],
  ],
  ["an unknown one is not", [bridge, { type: "calico" }, macvlan], two],
  ["a plugin that moves routes", [macvlan, bridge, sbr], [...both, "2 sbr-wrapper"]],
  ["a plugin that moves routes of one creator", [macvlan, sbr], ["0 macvlan-wrapper", "1 sbr-wrapper"]],
  ["one bridge whose MAC is not fixed", [{ type: "bridge", ipam }], ["0 bridge-wrapper"]],
  ["one bridge without ipam", [{ type: "bridge", isGateway: true }], ["0 bridge-wrapper"]],
  ["one macvlan with a route in another table", [inTable(100)], ["0 macvlan-wrapper"]],
  ["one macvlan with a route in the main table", [inTable(254)], []],
  ["one macvlan without ipam", [{ type: "macvlan" }], []],
  ["one creator that nothing else is known of", [{ type: "sriov", wrapper: { role: "creator" } }], []],
  ["one bridge with a gateway", [bridge, firewall], []],
  ["one bridge that is the default gateway", [{ type: "bridge", isDefaultGateway: true, ipam }], []],
  ["one bridge with the name of an interface", [{ type: "bridge", bridge: "eth0", ipam }], ["0 bridge-wrapper"]],
  ["one bridge whose gateway address another device has", [{ ...bridge, vlan: 100 }], ["0 bridge-wrapper"]],
  [
    "a chained plugin with a block of its own",
    [wrapped(macvlan), bridgeOfEth1, { ...firewall, wrapper: { ifName: "eth1" } }],
    ["2 firewall-wrapper"],
  ],
  ["a block of an only interface plugin", [wrapped(bridge), { ...firewall, wrapper: { ifName: "eth1" } }], []],
  ["an empty block", [wrapped(macvlan), bridgeOfEth1, { ...firewall, wrapper: null }], []],
  ["a plain list with an empty block", [{ ...macvlan, wrapper: null }, bridge], both],
  ["a wrapped list", [wrapped(macvlan), bridgeOfEth1, firewall], []],
  ["only the first is plain", [macvlan, bridgeOfEth1], ["0 macvlan-wrapper"]],
  ["only the second is plain", [wrapped(macvlan), bridge], ["1 bridge-wrapper ifName=eth1"]],
  ["the plain may be the runtime's", [bridgeOfEth1, macvlan, ptp], ["1 macvlan-wrapper", "2 ptp-wrapper ifName=eth2"]],
  ["the runtime's name is given", [wrapped(bridge, { ifName: "eth0" }), macvlan], ["1 macvlan-wrapper ifName=eth1"]],
  ["two wrapped ones without a name", [wrapped(macvlan), wrapped(bridge)], ["1 bridge-wrapper ifName=eth1"]],
  ["a name in a block that nobody reads yet", [wrapped(macvlan), namedBridge("lan0")], ["1 bridge-wrapper"]],
  [
    "names that something else has",
    [macvlan, { ...bridge, bridge: "eth1" }, { type: "vrf", vrfname: "eth2" }],
    ["0 macvlan-wrapper", "1 bridge-wrapper ifName=eth3", "2 vrf-wrapper"],
  ],
  ["a chained plugin that waits for the name", [macvlan, bridge, wrapped(portmap, { ifName: "eth1" })], both],
  ["a list for drop-in", [macvlan, namedBridge("eth1")], []],
])("wraps %s", (_, plugins, expected) => {
  expect(changesOf(plugins)).toEqual(expected);
});

describe("running containers that something else attached", () => {
  const older = [{ containerId: "c1", interfaces: ["eth0", "net1"], leased: ["net1"] }];

  test("keep their interface names and their network", () => {
    const changes = ["0 macvlan-wrapper", "1 bridge-wrapper ifName=net1 network=zone"];
    expect(changesOf([macvlan, bridge], { older })).toEqual(changes);
    expect(notesOf([macvlan, bridge], { older })).toEqual([
      "1 running container was attached without the wrappers, with eth0, net1.",
      "The running containers keep their leases in the network zone.",
    ]);
  });

  test("do not decide if they do not fit the list, or do not agree", () => {
    const others = [...older, { containerId: "c2", interfaces: ["eth0", "net2"], leased: [] }];
    for (const unfit of [others, [{ containerId: "c1", interfaces: ["eth0"], leased: [] }]]) {
      expect(changesOf([macvlan, bridge], { older: unfit })[1]).toBe("1 bridge-wrapper ifName=eth1");
    }
    const count = "2 running containers were attached without the wrappers, with eth0, net1 or eth0, net2";
    const unfit = ", which does not fit the list. Set the names with --names.";
    expect(notesOf([macvlan, bridge], { older: others })[0]).toBe(`${count}${unfit}`);
    expect(notesOf([macvlan, bridge, ptp], { older })[0]).toContain(unfit);
    expect(notesOf([macvlan, bridge], { older: others, wished: [] })[0]).toBe(`${count}.`);
  });

  test("with --from-script each renamed interface keeps the network, but not one that has a wrapper", () => {
    expect(changesOf([macvlan, bridge, { ...ptp, ipMasq: true }], { fromScript: true })).toEqual([
      "0 macvlan-wrapper",
      "1 bridge-wrapper ifName=eth1 network=zone",
      "2 ptp-wrapper ifName=eth2 network=zone",
    ]);
    expect(changesOf([wrapped(macvlan), wrapped(bridge), ptp], { fromScript: true })).toEqual([
      "1 bridge-wrapper ifName=eth1",
      "2 ptp-wrapper ifName=eth2 network=zone",
    ]);
    const notes = notesOf([wrapped(macvlan), bridgeOfEth1], { fromScript: true }, { disableCheck: true });
    expect(notes).toEqual(["Every interface plugin has its wrapper."]);
    expect(notesOf([{ ...bridge, ipam: {} }], { fromScript: true })).toEqual([]);
  });

  test("keep no network if two plugins masquerade, because DEL of a shared chain fails", () => {
    const masqueraded = [ptp, bridge].map((plugin) => ({ ...plugin, ipMasq: true }));
    expect(changesOf(masqueraded, { fromScript: true })[1]).toBe("1 bridge-wrapper ifName=eth1");
    expect(notesOf(masqueraded, { fromScript: true })).toEqual([expect.stringMatching(/^No "network" was set/)]);
  });

  test("may have a name that Nomad advertises first: a note says so", () => {
    const early = [{ containerId: "c1", interfaces: ["eth0", "disc"], leased: [] }];
    expect(notesOf([macvlan, bridge], { older: early })).toEqual([
      "1 running container was attached without the wrappers, with eth0, disc.",
      "disc sorts before eth0, so Nomad advertises its address.",
    ]);
  });
});

test("a running container's name that the list has for another plugin is not given twice", () => {
  const older = [{ containerId: "c1", interfaces: ["net1", "eth0"], leased: [] }];
  expect(changesOf([macvlan, bridge], { older })).toEqual(both);
});

test("says what each plugin does then, and why", () => {
  const says = (plugins: readonly Plugin[], known?: Known) =>
    decide(listFor(plugins), known).plugins.map(({ does }) => does);
  expect(says([bridge, { ...firewall, wrapper: { ifName: "lan0" } }, macvlan, sbr], { fromScript: true })).toEqual([
    "makes eth0",
    "acts on lan0: macvlan comes after it, and its CHECK must not see that interface",
    "makes eth1, with the leases of the network zone",
    "acts on eth0: CHECK finds the routes that it moves only through wrappers",
  ]);
  const lists = [[inTable(7)], [macvlan, sbr], [{ ...bridge, ipam: {} }], [{ ...bridge, isGateway: false }]];
  expect(lists.map((list) => says(list)[0])).toEqual([
    "makes eth0: CHECK of the plain macvlan looks for routes only in the main table",
    "makes eth0: its CHECK looks for the routes that sbr moves",
    "makes eth0: CHECK of the plain bridge fails without ipam",
    "makes eth0: the bridge's MAC changes with its containers, and CHECK of the plain bridge then fails",
  ]);
});

test("the only creator can be wrapped, too", () => {
  expect(decideAlone(listFor([firewall, macvlan]))).toEqual({
    plugins: [{ index: 1, type: "macvlan", becomes: "macvlan-wrapper", wrapper: {}, does: "makes eth0" }],
    notes: ["The command wrap leaves such a list as it is: take it from here."],
  });
  for (const other of [[firewall], [wrapped(macvlan)], [macvlan, bridge]])
    expect(decideAlone(listFor(other))).toEqual({ plugins: [], notes: [] });
});

describe("the operator's names", () => {
  test.each([
    ["backup", "the interface name backup sorts before eth0, so Nomad would advertise its address"],
    ["eth0", "the interface name eth0 is taken"],
    ["lo", "the interface name lo is taken"],
    ["disc0", "the interface name disc0 is taken"],
    ["eth7", "the interface name eth7 is taken"],
    ["net1", "the interface name net1 is taken"],
    ["lan/1", "the interface name \"lan/1\" must not contain '/', ':' or white space"],
    ["", 'the interface name "" must have 1 to 15 bytes'],
  ])("may not be %j", (name, message) => {
    const { plugins } = listFor([macvlan, bridge, wrapped(ptp, { ifName: "eth7" })]);
    expect(() => checkWishedName(name, plugins, ["net1"])).toThrow(message);
  });

  test("may be any other", () => {
    const list = listFor([macvlan, bridge, ptp, wrapped(firewall, { ifName: "lan0" })]);
    expect(wishedNames(list, ["lan0"])).toEqual([undefined, "lan0", undefined]);
    expect(() => wishedNames(list, ["lan1", "lan1"])).toThrow("the interface name lan1 is taken");
    expect(() => wishedNames(list, ["a", "b", "c"])).toThrow("--names: only 2 plugins need a name");
  });
});

test.each<[string, readonly Plugin[], string, Plugin?]>([
  [
    "one creator",
    [macvlan],
    "Its only interface plugin, macvlan, works without a wrapper. With the type macvlan-wrapper, ADD also passes after a failed try and after a reboot.",
  ],
  ["one wrapped creator", [wrapped(macvlan)], "Its only interface plugin has its wrapper."],
  ["several wrapped ones", [wrapped(macvlan), bridgeOfEth1], "Every interface plugin has its wrapper."],
  ["none", [firewall], "No plugin of the list is known to make an interface."],
  ["drop-in", [macvlan, namedBridge("eth1")], "The list is for drop-in: its types are the plugins' own names."],
  [
    "disableCheck",
    [macvlan, bridge],
    'With "disableCheck": true Nomad checks nothing. The wrapped list does not need it: delete the key.',
    { disableCheck: true },
  ],
  [
    "an unknown plugin",
    [macvlan, bridge, { type: "sriov" }],
    'sriov is unknown. If it makes an interface, too, wrap it by hand: "type": "cni-wrappers", "wrapper": { "delegate": "sriov", "role": "creator" }',
  ],
])("says what it knows of %s", (_, plugins, note, more) => {
  expect(notesOf(plugins, {}, more)).toEqual([note]);
});

test("an unknown plugin matters only next to another one that makes an interface", () => {
  const unknown = /^sriov is unknown/;
  expect(notesOf([{ type: "sriov" }, firewall]).filter((note) => unknown.test(note))).toEqual([]);
  expect(notesOf([{ type: "sriov" }, macvlan]).filter((note) => unknown.test(note))).toHaveLength(1);
  expect(notesOf([{ type: "sriov" }, { type: "ovs" }]).filter((note) => unknown.test(note))).toHaveLength(1);
  expect(notesOf([{ type: "my-loopback" }, { type: "dnsname2" }, {}])).toHaveLength(3);
});

test("cilium-cni makes an interface where no plugin has before it", () => {
  const isNoted = (...types: string[]) =>
    notesOf(types.map((type) => ({ type }))).some((note) => /^cilium-cni/.test(note));
  expect(isNoted("cilium-cni", "macvlan")).toBe(true);
  expect(isNoted("loopback", "cilium-cni", "macvlan")).toBe(true);
  expect(isNoted("macvlan", "bridge", "cilium-cni")).toBe(false);
  expect(isNoted("calico", "cilium-cni")).toBe(false);
});

const chained = ["consul-cni", "isolation", "egress-cni", "ovs-mirror-producer", "ovs-mirror-consumer"];
test.each(["loopback", "sriov-wrapper", ...chained])(
  "%s is known or wrapped: nothing advises to wrap it as an interface plugin",
  (type) => expect(notesOf([macvlan, bridge, { type }])).toEqual([]),
);

test("versions without CHECK need no wrapper for CHECK", () => {
  const layer2 = { type: "bridge" };
  const typesIn = (cniVersion: string, ...plugins: Plugin[]) =>
    decide(listFor(plugins, { cniVersion })).plugins.map(({ becomes }) => becomes);
  expect(typesIn("0.4.0", layer2, sbr)).toEqual(["bridge-wrapper", "sbr-wrapper"]);
  expect(typesIn("0.3.1", layer2, sbr)).toEqual([]);
  expect(typesIn("0.4.0", layer2)).toEqual(["bridge-wrapper"]);
  expect(typesIn("0.3.1", layer2)).toEqual([]);
});
