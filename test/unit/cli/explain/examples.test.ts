import { describe, expect, test } from "vitest";
import { profiles } from "../../../../plugins/index.ts";
import { reported } from "../../../../plugins/reported.ts";
import type { CniResult } from "../../../../shared/protocol/result.ts";
import { examples, listOf as readExample } from "../../../support/examples.ts";
import { explained } from "./support.ts";

/** The addresses of each interface of a result, without the lengths of the subnets. */
function addressesOf({ interfaces, ips }: CniResult): Record<string, string[]> {
  const inside = (interfaces ?? []).flatMap(({ name, sandbox }, index) =>
    sandbox && name !== "lo" ? [{ name, index }] : [],
  );
  return Object.fromEntries(
    inside.map(({ name, index }) => [
      name,
      (ips ?? []).filter((ip) => ip.interface === index).map(({ address }) => address),
    ]),
  );
}

test("every profile has its devices", () => {
  expect(Object.keys(reported)).toEqual(Object.keys(profiles));
});

describe.each(Object.entries(examples))("%s.conflist", (name, { addresses }) => {
  test("has the addresses of the real ADD on an unused host", () => {
    const { steps, result } = explained(readExample(name));
    expect(steps.map(({ answer, warnings }) => [answer.exitCode, warnings])).toEqual(steps.map(() => [0, []]));
    expect(addressesOf(result ?? {})).toEqual(addresses);
  });

  test.each(["CHECK", "DEL"] as const)("%s reaches every plugin, without a warning", (verb) => {
    const list = readExample(name);
    const { steps } = explained(list, verb);
    const types = list.plugins.map(({ type }) => type);
    expect(steps.map(({ plugin }) => plugin.type)).toEqual(verb === "DEL" ? types.toReversed() : types);
    expect(steps.map(({ runs, answer, warnings }) => [runs.length, answer.exitCode, warnings])).toEqual(
      steps.map(() => [1, 0, []]),
    );
  });
});

function oneCreator(plugin: object, cniVersion = "1.0.0") {
  return { cniVersion, name: "zone", plugins: [{ type: "bridge-wrapper", ...plugin }] };
}

describe("invented addresses", () => {
  const ipamOf = (ipam: object, more: object = {}, version?: string) =>
    explained(oneCreator({ ipam, ...more }, version)).result?.ips;

  test.each([
    [
      "a subnet of host-local: the first one after the gateway",
      { type: "host-local", subnet: "10.0.0.0/8" },
      ["10.0.0.2/8"],
    ],
    [
      "the gateway at the start of the range",
      { type: "host-local", ranges: [[{ subnet: "10.1.0.0/24", rangeStart: "10.1.0.9", gateway: "10.1.0.9" }]] },
      ["10.1.0.10/24"],
    ],
    [
      "a carry into the next byte",
      { type: "host-local", ranges: [[{ subnet: "10.1.0.0/16", rangeStart: "10.1.0.255", gateway: "10.1.0.255" }]] },
      ["10.1.1.0/16"],
    ],
    [
      "a set for each family",
      { type: "host-local", ranges: [[{ subnet: "10.1.0.0/24" }], [{ subnet: "fd00:0:0:9::/64" }]] },
      ["10.1.0.2/24", "fd00:0:0:9::2/64"],
    ],
    [
      "static",
      { type: "static", addresses: [{ address: "10.1.0.7/24" }, { address: "fd00::7/64" }] },
      ["10.1.0.7/24", "fd00::7/64"],
    ],
    ["dhcp: an address for documentation", { type: "dhcp" }, ["192.0.2.10/24"]],
    ["an unknown IPAM plugin", { type: "whereabouts", range: "10.9.0.0/24" }, ["192.0.2.10/24"]],
  ])("%s", (_, ipam, addresses) => {
    expect(ipamOf(ipam)?.map(({ address }) => address)).toEqual(addresses);
  });

  test("two interfaces of one network and one subnet get two addresses, as host-local gives them", () => {
    const ipam = { type: "host-local", subnet: "10.1.0.0/24" };
    const second = { type: "macvlan-wrapper", wrapper: { ifName: "eth1", network: "zone" }, ipam };
    const list = { cniVersion: "1.0.0", name: "zone", plugins: [{ type: "bridge-wrapper", ipam }, second] };
    expect(explained(list).result?.ips?.map(({ address }) => address)).toEqual(["10.1.0.2/24", "10.1.0.3/24"]);
  });

  test("two interfaces with DHCP get two addresses, and keep them", () => {
    const ipam = { type: "dhcp" };
    const second = { type: "macvlan-wrapper", wrapper: { ifName: "eth1" }, ipam };
    const list = { cniVersion: "1.0.0", name: "zone", plugins: [{ type: "bridge-wrapper", ipam }, second] };
    for (const verb of ["ADD", "CHECK", "DEL"] as const) {
      const { result, steps } = explained(list, verb);
      expect(result?.ips?.map(({ address }) => address)).toEqual(["192.0.2.10/24", "192.0.2.11/24"]);
      expect(steps.map(({ answer }) => answer.exitCode)).toEqual([0, 0]);
    }
  });

  test("without ipam there are none", () => {
    expect(explained(oneCreator({})).result?.ips).toBeUndefined();
  });

  test("a key `version` in results before 1.0.0, as the specification says", () => {
    const ipam = { type: "host-local", ranges: [[{ subnet: "10.1.0.0/24" }], [{ subnet: "fd00::/64" }]] };
    expect(ipamOf(ipam, {}, "0.4.0")?.map(({ version }) => version)).toEqual(["4", "6"]);
    expect(ipamOf(ipam, {}, "1.0.0")?.map(({ version }) => version)).toEqual([undefined, undefined]);
  });

  test("isDefaultGateway adds the default route", () => {
    const { result } = explained(
      oneCreator({ isDefaultGateway: true, ipam: { type: "host-local", subnet: "10.1.0.0/24" } }),
    );
    expect(result?.routes).toEqual([{ dst: "0.0.0.0/0", gw: "10.1.0.1" }]);
  });
});

describe("a list that fails", () => {
  const ipam = { type: "host-local", subnet: "10.1.0.0/24" };
  const bridge = { type: "bridge-wrapper", wrapper: { ifName: "eth1" }, ipam };

  test("one address for two interfaces: the wrapper refuses the answer and runs DEL", () => {
    const list = { cniVersion: "1.0.0", name: "zone", plugins: [{ type: "macvlan-wrapper", ipam }, bridge, bridge] };
    const { steps, result } = explained(list);
    expect(result).toBeUndefined();
    expect(steps).toHaveLength(2);
    expect(steps[1]).toMatchObject({ answer: { exitCode: 1, output: { code: 107 } } });
    expect(steps[1]?.runs.map(({ environment }) => environment.CNI_COMMAND)).toEqual(["ADD", "DEL"]);
    expect(explained(list, "CHECK")).toMatchObject({ steps: [], notSent: "ADD fails at plugin 2, bridge-wrapper" });
  });

  test("one name for two interfaces: no plugin runs", () => {
    const list = {
      cniVersion: "1.0.0",
      name: "zone",
      plugins: [{ type: "macvlan-wrapper" }, { type: "bridge-wrapper" }],
    };
    const [, second] = explained(list).steps;
    expect(second).toMatchObject({ plan: undefined, runs: [], answer: { exitCode: 1, output: { code: 7 } } });
  });

  test("a misspelled key of the wrapper", () => {
    const list = oneCreator({ wrapper: { ifname: "eth1" } });
    expect(explained(list).steps).toMatchObject([
      { plan: undefined, runs: [], answer: { exitCode: 1, output: { code: 7 } } },
    ]);
  });

  test("an unwrapped creator before a wrapped one: the wrapper's own warning", () => {
    const { steps } = explained({
      cniVersion: "1.0.0",
      name: "zone",
      plugins: [
        { type: "macvlan", ipam },
        { ...bridge, ipam: {} },
      ],
    });
    expect(steps[1]?.warnings).toEqual([expect.stringContaining("interface eth0 was made by an unwrapped plugin")]);
  });
});

describe("a runtime does not send", () => {
  const list = (changes: object) => ({ ...oneCreator({}), ...changes });

  test.each([
    ["CHECK", { cniVersion: "0.3.1" }, "the list's cniVersion is 0.3.1, and CHECK came with 0.4.0"],
    ["CHECK", { cniVersion: "0.2.0" }, "the list's cniVersion is 0.2.0, and CHECK came with 0.4.0"],
    ["CHECK", { disableCheck: true }, 'the list says "disableCheck": true'],
    ["GC", { cniVersion: "1.0.0" }, "the list's cniVersion is 1.0.0, and GC came with 1.1.0"],
    ["STATUS", { cniVersion: "0.4.0" }, "the list's cniVersion is 0.4.0, and STATUS came with 1.1.0"],
  ] as const)("%s with %j", (verb, changes, notSent) => {
    expect(explained(list(changes), verb)).toMatchObject({ steps: [], notSent });
  });

  test.each([
    ["CHECK", "0.4.0"],
    ["DEL", "0.3.1"],
    ["GC", "1.1.0"],
    ["STATUS", "1.1.0"],
  ] as const)("but it sends %s with %s", (verb, cniVersion) => {
    expect(explained(list({ cniVersion }), verb).steps).toHaveLength(1);
  });
});
