import { describe, expect, test } from "vitest";
import type { AddPlan } from "../../../shared/call/plan.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import type { CniResult } from "../../../shared/protocol/result.ts";
import { spliceResult } from "../../../shared/verbs/spliced-answer.ts";
import { callWrapper, exits, planOf } from "../support/fake-host.ts";
import { frozen } from "../support/frozen.ts";
import { entryOf, journalFiles } from "../support/journals.ts";
import { blue, red, requestOf } from "../support/requests.ts";
import { bothResult, bridgeResult, macvlanResult } from "../support/results.ts";

const eth0Name = { ifName: "eth0", netns: blue, runtimeIfName: "eth0" };
const eth1Name = { ifName: "eth1", netns: blue, runtimeIfName: "eth0" };

function first(wrapper: JsonObject, configuration: JsonObject = {}) {
  return planOf(requestOf("ADD", { wrapper, ...configuration })) as AddPlan;
}

function chained(calledAs: string, wrapper: JsonObject, prevResult: CniResult, configuration: JsonObject = {}) {
  return planOf(requestOf("ADD", { wrapper, prevResult, ...configuration }), calledAs) as AddPlan;
}

describe("the first of a chain", () => {
  test("with the runtime's name: its answer is not spliced", () => {
    expect(first({}).splice).toStrictEqual({ as: "only" });
  });

  test("renamed", () => {
    expect(first({ ifName: "eth1" }).splice).toStrictEqual({ as: "first", selector: eth1Name });
  });
});

describe("after others", () => {
  test("a creator gets no prevResult", () => {
    const { call, splice } = chained("bridge-wrapper", { ifName: "eth1" }, macvlanResult);
    expect(call.configuration).toStrictEqual({ cniVersion: "1.0.0", name: "zone-eth1", type: "bridge" });
    expect(splice).toStrictEqual({ as: "creator", selector: eth1Name, prevResult: macvlanResult });
  });

  test("a plugin of unknown role is a chained plugin if its interface exists, else a creator", () => {
    expect(chained("calico-wrapper", { ifName: "eth1" }, bothResult).splice.as).toBe("meta");
    expect(chained("calico-wrapper", { ifName: "eth2" }, bothResult).splice.as).toBe("creator");
    expect(chained("calico-wrapper", { ifName: "eth2" }, {}).splice.as).toBe("creator");
  });

  test.each([[{}], [{ interfaces: [{ name: "veth0" }] }]])(
    "a chained plugin gets prevResult unchanged if it has no container interface: %j",
    (prevResult) => {
      const { call, splice } = chained("tuning-wrapper", {}, prevResult);
      expect(call.configuration?.prevResult).toStrictEqual(prevResult);
      expect(splice).toStrictEqual({ as: "only" });
    },
  );

  test("a chained plugin whose interface is missing", () => {
    expect(() => chained("tuning-wrapper", { ifName: "eth2" }, bothResult)).toThrow(
      expect.objectContaining({ code: 103, message: "interface eth2 is not in prevResult" }),
    );
  });
});

describe("a creator that takes over a host interface", () => {
  const made = { interfaces: [{ name: "ens5" }], ips: [{ address: "10.0.0.2/24" }] };

  test("gets it in prevResult, and its answer is the whole result", () => {
    const { call, splice } = chained("ipvlan-wrapper", {}, made);
    expect(call.configuration?.prevResult).toStrictEqual(made);
    expect(splice).toStrictEqual({ as: "only" });
    expect(chained("ipvlan-wrapper", { ifName: "eth1" }, made).splice).toStrictEqual({
      as: "first",
      selector: eth1Name,
    });
  });

  test("gets nothing of another's container interface", () => {
    const { call, splice } = chained("ipvlan-wrapper", { ifName: "eth1" }, macvlanResult);
    expect(call.configuration).not.toHaveProperty("prevResult");
    expect(splice.as).toBe("creator");
  });
});

describe("a creator's name", () => {
  const taken = (message: RegExp) => expect.objectContaining({ code: 7, message: expect.stringMatching(message) });

  test("that an earlier one has in the same sandbox", () => {
    expect(() => chained("bridge-wrapper", {}, macvlanResult)).toThrow(taken(/^interface name eth0 is taken$/));
    expect(() => chained("bridge-wrapper", { ifName: "eth1" }, bothResult)).toThrow(taken(/eth1 is taken/));
    expect(() => chained("ptp-wrapper", { role: "creator" }, macvlanResult)).toThrow(taken(/eth0 is taken/));
  });

  test.each([
    ["another sandbox", { name: "eth1", sandbox: red }],
    ["the host", { name: "eth1" }],
  ])("that %s has", (_, other) => {
    expect(chained("bridge-wrapper", { ifName: "eth1" }, { interfaces: [other] }).splice.as).toBe("creator");
  });

  test.each([
    ["disc0", { bridge: "disc0" }],
    ["cni0", {}],
  ])("that is its own bridge's: %s", (ifName, configuration) => {
    const isTaken = taken(new RegExp(`^interface name ${ifName} is taken$`));
    expect(() => first({ ifName }, configuration)).toThrow(isTaken);
    expect(() => chained("bridge-wrapper", { ifName }, macvlanResult, configuration)).toThrow(isTaken);
    const details = expect.stringContaining("it is the plugin's own bridge.");
    expect(() => first({ ifName }, configuration)).toThrow(expect.objectContaining({ details }));
  });

  test("that is the runtime's own is not compared with the bridge's: the plugin decides", () => {
    expect(first({}, { bridge: "eth0" }).splice).toStrictEqual({ as: "only" });
  });

  test("that is the bridge of another attachment", () => {
    const prevResult = { interfaces: [{ name: "disc0" }, { name: "eth0", sandbox: blue }] };
    const configuration = { bridge: "disc0" };
    expect(chained("bridge-wrapper", { ifName: "eth1" }, prevResult, configuration).splice.as).toBe("creator");
  });
});

describe("what the runtime gets", () => {
  const trailing = frozen({
    interfaces: [{ name: "eth1", sandbox: blue }, { name: "br0.7" }],
    ips: [{ address: "10.0.1.2/24" }],
  });
  const ordered = [{ name: "br0.7" }, { name: "eth1", sandbox: blue }];

  test("for a single interface: the answer is put in order", () => {
    expect(spliceResult({ as: "only" }, trailing)).toStrictEqual({ ...trailing, interfaces: ordered });
  });

  test("for a renamed first interface: completed and put in order", () => {
    expect(spliceResult({ as: "first", selector: eth1Name }, trailing)).toStrictEqual({
      interfaces: ordered,
      ips: [{ address: "10.0.1.2/24", interface: 1 }],
    });
  });

  test("for a creator: appended", () => {
    const { splice } = chained("bridge-wrapper", { ifName: "eth1" }, macvlanResult);
    expect(spliceResult(splice, bridgeResult)).toStrictEqual(bothResult);
  });

  test("for a chained plugin: replaces its attachment", () => {
    const { splice } = chained("tuning-wrapper", {}, bothResult);
    const returned = { ...macvlanResult, interfaces: [{ ...macvlanResult.interfaces[0], name: "eth0", mtu: 1400 }] };
    expect(splice).toMatchObject({ as: "meta", selector: eth0Name });
    expect(spliceResult(splice, frozen(returned)).interfaces).toMatchObject([
      { name: "eth0", mtu: 1400 },
      ...bridgeResult.interfaces,
    ]);
  });
});

/** What ADD asks the plugin for after a reboot, if the attachment had an address before. */
function askedAfterReboot(
  ranges: JsonObject,
  runtimeConfig: JsonObject,
  leases: Readonly<Record<string, string>> = {},
) {
  const stdin = { cniVersion: "1.0.0", name: "zone", ipam: { type: "host-local", ...ranges }, runtimeConfig };
  const files = { ...journalFiles(entryOf({ bootId: "earlier" })), ...leases };
  const answers = [exits(0), exits(0, bridgeResult)];
  const { runs } = callWrapper({ stdin }, { files, answers, links: [0] });
  expect(runs.map(({ env }) => env.CNI_COMMAND)).toEqual(["DEL", "ADD"]);
  const [, add] = runs as readonly { stdin: JsonObject }[];
  return add?.stdin.args;
}

const had = ["10.1.0.2/24"];
test.each<[string, JsonObject, readonly string[] | undefined, JsonObject?]>([
  ["is in its subnet", { subnet: "10.1.0.0/24" }, had],
  ["is in one of its ranges", { Ranges: [[{ subnet: "10.2.0.0/24" }], [{ subnet: "10.1.0.0/24" }]] }, had],
  ["is in a range of the runtime", {}, had, { ipRanges: [[{ subnet: "10.1.0.0/24" }]] }],
  ["is in another one", { subnet: "10.2.0.0/24" }, undefined],
])("after a reboot ADD asks for the address that %s", (_, ranges, ips, runtimeConfig = {}) => {
  expect(askedAfterReboot(ranges, runtimeConfig)).toEqual(ips && { cni: { ips } });
});

test.each([
  ["its own interface", "blue\r\neth0", had],
  ["another interface of the container", "blue\r\neth1", undefined],
  ["another container", "red\r\neth0", undefined],
])("after a reboot ADD asks for its address while the lease is of %s", (_, lease, ips) => {
  const leases = { "/var/lib/cni/networks/zone/10.1.0.2": lease };
  expect(askedAfterReboot({ subnet: "10.1.0.0/24" }, {}, leases)).toEqual(ips && { cni: { ips } });
});
