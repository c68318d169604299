import { describe, expect, test } from "vitest";
import { checkAfterScript } from "../../../../cli/explain/list-run.ts";
import { exampleAttachment } from "../../../../cli/explain/model-answers.ts";
import { verdictCode, verdictData, verdictOf, verdictText } from "../../../../cli/explain/verdict.ts";
import { parsedList } from "./support.ts";

function verdict(plugins: readonly object[], more: object = {}) {
  const list = parsedList({ cniVersion: "1.0.0", name: "zone", plugins, ...more });
  return { list, outcomes: verdictOf(list, exampleAttachment(list), undefined) };
}

const local = (subnet: string) => ({ ipam: { type: "host-local", subnet } });
const macvlan = { type: "macvlan", master: "ens18", ...local("172.16.5.0/24") };
const bridge = { type: "bridge", bridge: "disc0", isGateway: true, ...local("172.26.64.0/20") };
const wrapped = { ...bridge, type: "bridge-wrapper", wrapper: { ifName: "eth1" } };

// What each event of many lists ends with: test/unit/cli/model/seen.test.ts
describe("the verdict of a list in words", () => {
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

  test("a card of an unknown host may have any MTU", () => {
    expect(verdict([{ ...macvlan, mtu: 9000 }]).outcomes[0]).toEqual({ event: "start", passes: true, leaves: [] });
  });

  test.each([
    ["", {}],
    ["", { master: "" }],
    ["eth7", { master: "eth7", linkInContainer: true }],
  ])("CHECK of ipvlan looks for the master %o that the list names", (master, own) => {
    // The host's default route makes ADD pass (loadConf and cmdCheck, plugins/main/ipvlan/ipvlan.go).
    const { outcomes } = verdict([{ type: "ipvlan", ...own, ...local("172.16.5.0/24") }]);
    const failed = outcomes.find(({ passes }) => passes === false);
    const event = master === "" ? "restart" : "start";
    expect([failed?.event, failed?.message]).toEqual([event, `failed to lookup master "${master}": Link not found`]);
  });

  const leased = (...ranges: object[]) => ({ ipam: { type: "host-local", ranges: ranges.map((range) => [range]) } });
  const onlyAddress = leased({ subnet: "10.1.0.0/24", rangeStart: "10.1.0.5", rangeEnd: "10.1.0.5" });
  const families = leased({ subnet: "172.16.5.0/24" }, { subnet: "fd00:5::/64" });
  const published = { type: "portmap", capabilities: { portMappings: true } };
  const none = "failed to allocate for range 0: no IP addresses available in range set: 10.1.0.5-10.1.0.5";
  const again = (address: string) =>
    `failed to allocate for range 0: ${address} has been allocated to example6, duplicate allocation is not allowed`;
  const taken = (ifName: string) => `container veth name ("${ifName}") peer provided ("...") already exists`;
  const once = "(does not count: a list that names its interfaces can be attached to a container once)";

  test.each<[string, object[], string, object?]>([
    [
      "a pool with one address, which the lease of the last boot takes",
      [{ ...bridge, ...onlyAddress }],
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
      `zone: bridge eth1
  second     fails at bridge-wrapper: ${none}
  twice      fails at bridge-wrapper: ${taken("eth1")} ${once}
  passes:    start, retry, reboot, stop, gone
  not sent:  restart, joined
`,
      { disableCheck: true },
    ],
    [
      "an interface without addresses: a reboot leaves nothing of it",
      [{ type: "tap" }],
      `zone: tap eth0
  passes:    start, second, restart, joined, retry, twice, reboot, stop, gone
`,
    ],
    [
      "two ipvlans of two modes on one master: the second one's ADD changes the first one's",
      [
        { type: "ipvlan-wrapper", master: "ens18", mode: "l2", ...local("172.16.5.0/24") },
        { type: "ipvlan-wrapper", wrapper: { ifName: "eth1" }, master: "ens18", mode: "l3", ...local("10.1.0.0/24") },
      ],
      `zone: ipvlan eth0, ipvlan eth1
  restart    fails at ipvlan-wrapper: Container IPVlan mode l3 does not match expected value: l2
  joined     fails at ipvlan-wrapper: Container IPVlan mode l3 does not match expected value: l2
  twice      fails at ipvlan-wrapper: failed to rename ipvlan to "eth1": file exists ${once}
  passes:    start, second, retry, reboot, stop, gone
`,
    ],
    [
      "ipvlans of one mode on one master, and of another on another one",
      [
        { type: "ipvlan-wrapper", master: "ens18", ...local("172.16.5.0/24") },
        { type: "ipvlan-wrapper", wrapper: { ifName: "eth1" }, master: "ens18", mode: "l2", ...local("10.1.0.0/24") },
        { type: "ipvlan-wrapper", wrapper: { ifName: "eth2" }, master: "ens19", mode: "l3", ...local("10.2.0.0/24") },
      ],
      `zone: ipvlan eth0, ipvlan eth1, ipvlan eth2
  twice      fails at ipvlan-wrapper: failed to rename ipvlan to "eth1": file exists ${once}
  passes:    start, second, restart, joined, retry, reboot, stop, gone
`,
    ],
    [
      "an ADD and a DEL that fail, and what is left of them",
      [bridge, { type: "tuning", sysctl: { "net.core.somaxconn": 500 } }],
      `zone: bridge eth0, tuning
  start      fails at tuning: json: cannot unmarshal number into Go struct field sysctlCheck.sysctl of type string
  stop       fails at tuning: failed to load netconf: json: cannot unmarshal number into Go struct field TuningConf.sysctl of type string; leaves the lease 172.26.64.2
  not sent:  second, restart, joined, retry, twice, reboot, gone
`,
    ],
    [
      "several things that are left",
      [{ ...bridge, ipMasq: true, ...families }, published, { type: "tuning", mtu: 1400 }],
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
      `zone: bridge eth0, firewall
  start      fails at firewall: unknown ingress policy: "same-bridges"
  stop       fails at firewall: unknown ingress policy: "same-bridges"; leaves the lease 172.26.64.2, the firewall's rules for 172.26.64.2
  not sent:  second, restart, joined, retry, twice, reboot, gone
`,
    ],
    [
      "a list without a name",
      [bridge],
      `zone.conflist: bridge eth0
  start      fails: error parsing configuration list: no name
  not sent:  second, restart, joined, retry, twice, reboot, stop, gone
`,
      { name: undefined },
    ],
    [
      "a list of an old version with two plugins",
      [macvlan, published],
      `zone: macvlan eth0, portmap
  start      not known: lists of version 0.2.0 are unknown
  not sent:  second, restart, joined, retry, twice, reboot, stop, gone
-> cni-wrappers try zone.conflist
`,
      { cniVersion: "0.2.0" },
    ],
    [
      "a list of an old version with one plugin, which the runtime does not check",
      [{ type: "tap", ipam: { type: "static", addresses: [{ address: "10.1.0.2/24" }] } }],
      `zone: tap eth0
  passes:    start, second, retry, twice, reboot, stop, gone
  not sent:  restart, joined
`,
      { cniVersion: "0.2.0" },
    ],
    [
      "a list of an old version, whose result has no place for an interface without an address",
      [{ type: "tap" }],
      `zone: tap eth0
  start      fails at tap: cannot convert: no valid IP addresses
  passes:    stop
  not sent:  second, restart, joined, retry, twice, reboot, gone
`,
      { cniVersion: "0.2.0" },
    ],
  ])("in words: %s", (_, plugins, text, more) => {
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
