import { globSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { attachmentTable } from "../../../../cli/explain/attachment-table.ts";
import { explain, explanationData } from "../../../../cli/explain/explain.ts";
import { exampleAttachment, exampleSource, simulatedPlugins } from "../../../../cli/explain/model-answers.ts";
import { explanationText } from "../../../../cli/explain/text.ts";
import { readListFile } from "../../../../cli/lists/find-files.ts";
import { listOf } from "../../../../cli/lists/list.ts";
import type { CniResult } from "../../../../shared/protocol/result.ts";
import { examples, listOf as readExample } from "../../../support/examples.ts";
import { explained, parsedList, root } from "./support.ts";

/** The addresses of each interface of a result, without the lengths of the subnets. */
function addressesOf({ interfaces, ips }: CniResult): Record<string, string[]> {
  const inside = (interfaces ?? []).flatMap(({ name, sandbox }, index) => {
    const own = (ips ?? []).filter((ip) => ip.interface === index).map(({ address }) => address);
    return sandbox && name !== "lo" ? [[name, own] as const] : [];
  });
  return Object.fromEntries(inside);
}

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
    const ends = steps.map(({ runs, answer, warnings }) => [runs.length, answer.exitCode, warnings]);
    expect(ends).toEqual(steps.map(() => [1, 0, []]));
  });
});

function oneCreator(plugin: object, cniVersion = "1.0.0") {
  return { cniVersion, name: "zone", plugins: [{ type: "bridge-wrapper", ...plugin }] };
}

describe("invented addresses", () => {
  const ipamOf = (ipam: object, more: object = {}, version?: string) =>
    explained(oneCreator({ ipam, ...more }, version)).result?.ips;

  const hostLocal = (...ranges: object[]) => ({ type: "host-local", ranges: ranges.map((range) => [range]) });
  const families = hostLocal({ subnet: "10.1.0.0/24" }, { subnet: "fd00:0:0:9::/64" });
  const fixed = ["10.1.0.7/24", "fd00::7/64"];
  const range = (subnet: string, first: string) => hostLocal({ subnet, rangeStart: first, gateway: first });

  test.each([
    ["the first one after the gateway", { type: "host-local", subnet: "10.0.0.0/8" }, ["10.0.0.2/8"]],
    ["the gateway at the start of the range", range("10.1.0.0/24", "10.1.0.9"), ["10.1.0.10/24"]],
    ["a carry into the next byte", range("10.1.0.0/16", "10.1.0.255"), ["10.1.1.0/16"]],
    ["a set for each family", families, ["10.1.0.2/24", "fd00:0:0:9::2/64"]],
    ["static", { type: "static", addresses: fixed.map((address) => ({ address })) }, fixed],
    ["dhcp: an address for documentation", { type: "dhcp" }, ["192.0.2.10/24"]],
    ["an unknown IPAM plugin", { type: "whereabouts", range: "10.9.0.0/24" }, ["192.0.2.10/24"]],
  ])("%s", (_, ipam, addresses) => {
    expect(ipamOf(ipam)?.map(({ address }) => address)).toEqual(addresses);
  });

  const twoWith = (ipam: object, block: object = {}) => {
    const second = { type: "macvlan-wrapper", wrapper: { ifName: "eth1", ...block }, ipam };
    return { cniVersion: "1.0.0", name: "zone", plugins: [{ type: "bridge-wrapper", ipam }, second] };
  };

  test("two interfaces with DHCP get two addresses, and keep them", () => {
    const list = twoWith({ type: "dhcp" });
    for (const verb of ["ADD", "CHECK", "DEL"] as const) {
      const { result, steps } = explained(list, verb);
      expect(result?.ips?.map(({ address }) => address)).toEqual(["192.0.2.10/24", "192.0.2.11/24"]);
      expect(steps.map(({ answer }) => answer.exitCode)).toEqual([0, 0]);
    }
  });
});

describe("what stands in for the answers of a plugin or an IPAM plugin that the model lacks", () => {
  const lists = (...plugins: object[]) => explained({ cniVersion: "1.0.0", name: "zone", plugins }).result;
  /** A result without MACs: the interfaces by their names. */
  const said = ({ interfaces, ...rest }: CniResult = {}) => ({ ...rest, names: interfaces?.map(({ name }) => name) });
  const address = (index: number) => ({ address: "192.0.2.10/24", gateway: "192.0.2.1", interface: index });
  const routes = [{ dst: "10.0.0.0/8" }];
  const foo = { type: "foo-wrapper" };
  const tap = { type: "tap-wrapper" };
  const whereabouts = (own: object = {}) => ({ type: "macvlan-wrapper", ipam: { type: "whereabouts", ...own } });
  const both = { names: ["eth0", "eth1"] };

  test.each<[string, object[], object]>([
    [
      "DHCP gives a default route",
      [{ type: "bridge-wrapper", ipam: { type: "dhcp", routes } }],
      { names: ["cni0", "veth00000001", "eth0"], ips: [address(2)], routes: [{ dst: "0.0.0.0/0", gw: "192.0.2.1" }] },
    ],
    ["another one the routes of the list", [whereabouts({ routes })], { names: ["eth0"], ips: [address(0)], routes }],
    ["or none", [whereabouts()], { names: ["eth0"], ips: [address(0)] }],
    ["the first plugin makes an interface", [{ type: "calico" }], { names: ["eth0"] }],
    ["the next one changes nothing", [{ type: "tap" }, { type: "calico" }], { names: ["eth0"] }],
    ["unless its profile says that it makes one", [tap, { type: "vlan-wrapper", wrapper: { ifName: "eth1" } }], both],
    ["or the operator", [tap, { ...foo, wrapper: { delegate: "foo", ifName: "eth1", role: "creator" } }], both],
    ["a chained plugin that is the first one makes none", [{ type: "vrf", vrfname: "red" }], {}],
    ["nor one of which the operator says so", [{ ...foo, wrapper: { delegate: "foo", role: "meta" } }], {}],
  ])("%s", (_, plugins, result) => {
    expect(said(lists(...plugins))).toEqual({ cniVersion: "1.0.0", names: undefined, ...result });
  });

  test("the model has these", () => {
    const interfaces = "bandwidth bridge firewall host-device host-local ipvlan loopback macvlan";
    expect(simulatedPlugins().join(" ")).toBe(`${interfaces} portmap ptp sbr static tap tuning`);
  });
});

describe("the invented attachment", () => {
  const portmap = { type: "portmap-wrapper", capabilities: { portMappings: true } };
  const only = (...ports: unknown[]) => ({ ...portmap, wrapper: { ports: { only: ports } } });
  const tcp = (hostPort: number, containerPort: number) => ({ hostPort, containerPort, protocol: "tcp" });

  test.each<[string, object[], object]>([
    ["no ports without a plugin that can publish them", [{ type: "tap" }, { type: "portmap" }], {}],
    ["port 80", [{ type: "tap" }, portmap], { portMappings: [tcp(20080, 80)] }],
    [
      "and one for each plugin that asks for its own",
      [only(443), only("15000-15010"), only(80), only("x")],
      { portMappings: [tcp(20080, 80), tcp(20443, 443), tcp(25000, 15000)] },
    ],
  ])("has %s", (_, plugins, capabilityArgs) => {
    expect(exampleAttachment(parsedList({ cniVersion: "1.0.0", name: "zone", plugins }))).toEqual({
      ...{ containerId: "example", netns: "/run/netns/example", ifName: "eth0", args: "" },
      ...{ pluginPath: "/opt/cni/bin", capabilityArgs },
    });
  });

  test.each(["65535:1", "1:65535/sctp"])("takes the port %s", (port) => {
    expect(exampleAttachment(parsedList({ plugins: [] }), [port]).capabilityArgs.portMappings).toHaveLength(1);
  });

  test.each([
    ["65536:80", "a port is from 1 to 65535"],
    ["a8080:80", "write it like 8080:80 or 8080:80/udp"],
    ["8080:80/udpx", "write it like 8080:80 or 8080:80/udp"],
  ])("does not take the port %s", (port, words) => {
    expect(() => exampleAttachment(parsedList({ plugins: [] }), [port])).toThrow(`--port ${port}: ${words}`);
  });
});

describe("as data", () => {
  const plugins = [{ type: "tap", ipam: { type: "static", addresses: [{ address: "10.1.0.9/24" }] } }];

  test("a verb has all of its steps, with what each plugin is given and answers", () => {
    const result = {
      cniVersion: "1.0.0",
      interfaces: [{ name: "eth0", mac: expect.stringMatching(/^02(:[\da-f]{2}){5}$/), sandbox: "/run/netns/example" }],
      ips: [{ address: "10.1.0.9/24", interface: 0 }],
    };
    const call = {
      environment: {
        ...{ CNI_COMMAND: "CHECK", CNI_CONTAINERID: "example", CNI_NETNS: "/run/netns/example" },
        ...{ CNI_IFNAME: "eth0", CNI_ARGS: "", CNI_PATH: "/opt/cni/bin" },
      },
      stdin: { cniVersion: "1.0.0", name: "zone", ...plugins[0], prevResult: result },
    };
    const run = { plugin: "tap", ...call, answer: { exitCode: 0, output: undefined } };
    const step = { plugin: "tap", index: 0, isWrapped: false, given: call, runs: [run], warnings: [] };
    expect(explanationData(explained({ cniVersion: "1.0.0", name: "zone", plugins }, "CHECK"))).toStrictEqual({
      ...{ file: "zone.conflist", network: "zone", verb: "CHECK", containerId: "example", ifName: "eth0" },
      steps: [{ ...step, exitCode: 0, output: undefined }],
      result,
    });
  });

  test("a verb that the runtime does not send has its reason", () => {
    const list = { cniVersion: "0.3.1", name: "zone", plugins };
    expect(explanationData(explained(list, "STATUS"))).toEqual({
      ...{ file: "zone.conflist", network: "zone", verb: "STATUS", containerId: "example", ifName: "eth0", steps: [] },
      notSent: "the list's cniVersion is 0.3.1, and STATUS came with 1.1.0",
      result: explained(list).result,
    });
    expect(explained(list).result).toHaveProperty("ips");
  });
});

describe("a list that fails", () => {
  test("at its last plugin: it has no result, and DEL reaches all of it even so", () => {
    const list = { cniVersion: "1.0.0", name: "zone", plugins: [{ type: "tap" }, { type: "tap", mtu: "x" }] };
    expect(explained(list).steps.map(({ answer }) => answer.exitCode)).toEqual([0, 1]);
    expect(explanationData(explained(list))).not.toHaveProperty("result");
    expect(explained(list, "DEL")).toMatchObject({ result: undefined, steps: [{}] });
    expect(explained(list, "DEL").notSent).toBeUndefined();
  });

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
});

const screen = { hasColors: false, width: 80 };
const files = globSync("test/fixtures/**/*.{conf,conflist}", { cwd: root }).sort();
const lists = files.flatMap((file) => {
  const read = readListFile(file, root);
  return read.errors.length > 0 ? [] : (listOf(read) ?? []);
});

test("there are many lists, faulty ones too", () => {
  expect(lists.length).toBeGreaterThan(100);
});

// A faulty list is what a person wants explained.
test.each(["ADD", "CHECK", "DEL", "GC", "STATUS"] as const)("%s of every list can be explained", (verb) => {
  for (const list of lists) {
    const explanation = explain(list, verb, exampleSource(exampleAttachment(list)));
    expect(
      explanation.steps.flatMap(({ answer }) =>
        answer.output?.msg === "internal error of the wrapper" ? [list.file.path] : [],
      ),
    ).toEqual([]);
    expect(explanationText(explanation, screen)).toContain(verb);
    expect(attachmentTable(explanation) ?? "").not.toContain("undefined");
  }
});
