import { describe, expect, test } from "vitest";
import type { AddPlan } from "../../../shared/call/plan.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import type { CniResult } from "../../../shared/protocol/result.ts";
import { callWrapper, exits, planOf } from "../support/fake-host.ts";
import { entryOf, journalFiles } from "../support/journals.ts";
import { red, requestOf } from "../support/requests.ts";
import { bothResult, bridgeResult, macvlanResult } from "../support/results.ts";

function first(wrapper: JsonObject, configuration: JsonObject = {}) {
  return planOf(requestOf("ADD", { wrapper, ...configuration })) as AddPlan;
}

function chained(calledAs: string, wrapper: JsonObject, prevResult: CniResult, configuration: JsonObject = {}) {
  return planOf(requestOf("ADD", { wrapper, prevResult, ...configuration }), calledAs) as AddPlan;
}

describe("after others", () => {
  test("a plugin of unknown role is a chained plugin if its interface exists, else a creator", () => {
    expect(chained("calico-wrapper", { ifName: "eth1" }, bothResult).splice.as).toBe("meta");
    expect(chained("calico-wrapper", { ifName: "eth2" }, bothResult).splice.as).toBe("creator");
    expect(chained("calico-wrapper", { ifName: "eth2" }, {}).splice.as).toBe("creator");
  });

  test("a chained plugin whose interface is missing", () => {
    expect(() => chained("tuning-wrapper", { ifName: "eth2" }, bothResult)).toThrow(
      expect.objectContaining({ code: 103, message: "interface eth2 is not in prevResult" }),
    );
  });
});

describe("a creator's name", () => {
  const taken = (message: RegExp) => expect.objectContaining({ code: 7, message: expect.stringMatching(message) });

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
const had6 = ["fd00:1::2/64"];
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

test.each([
  ["its own interface", "blue\r\neth0", had6],
  ["another container", "red\r\neth0", undefined],
])("the same with IPv6, if the lease of %s is spelled in another way", (_, lease, ips) => {
  const files = journalFiles(entryOf({ bootId: "earlier", done: { addresses: had6 } }));
  const leases = { ...files, "/var/lib/cni/networks/zone/fd00:1:0::2": lease };
  expect(askedAfterReboot({ subnet: "fd00:1::/64" }, {}, leases)).toEqual(ips && { cni: { ips } });
});
