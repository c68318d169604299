import { describe, expect, test } from "vitest";
import type { CniError } from "../../../shared/protocol/errors.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import type { ConfiguredVerb } from "../../../shared/protocol/request.ts";
import { callWrapper, planOf } from "../support/fake-host.ts";
import { blue, requestOf } from "../support/requests.ts";
import { bothResult, bridgeResult } from "../support/results.ts";

const renamed = { ifName: "eth1" };
const eth1 = { CNI_IFNAME: "eth1" };
const eth1Name = { ifName: "eth1", netns: blue, runtimeIfName: "eth0" };

function planned(command: ConfiguredVerb, configuration: JsonObject = {}, calledAs = "bridge-wrapper") {
  const withoutInterface = { containerId: "", netns: "", ifName: "" };
  const variables = command === "GC" || command === "STATUS" ? withoutInterface : {};
  return planOf(requestOf(command, configuration, variables), calledAs);
}

function failure(action: () => unknown): Pick<CniError, "code" | "message"> {
  try {
    action();
  } catch (error) {
    return error as CniError;
  }
  throw new Error("it passes");
}

/** The delegate's call. */
function call(environment: Record<string, string>, configuration: JsonObject) {
  return { delegate: "bridge", environment, configuration: { cniVersion: "1.0.0", type: "bridge", ...configuration } };
}

const renamedCall = call(eth1, { name: "zone-eth1" });
test.each<[ConfiguredVerb, JsonObject, object]>([
  ["ADD", {}, { do: "add", call: call({}, { name: "zone" }), splice: { as: "only" } }],
  ["ADD", { wrapper: renamed }, { call: renamedCall, splice: { as: "first", selector: eth1Name } }],
  ["ADD", { wrapper: { ifName: "eth0" } }, { call: call({}, { name: "zone-eth0" }), splice: { as: "only" } }],
  ["ADD", { prevResult: null }, { call: call({}, { name: "zone", prevResult: null }), splice: { as: "only" } }],
  ["CHECK", {}, { do: "handOver", call: call({}, { name: "zone" }) }],
  ["CHECK", { wrapper: { ...renamed, network: "disc" } }, { call: call(eth1, { name: "disc" }) }],
  ["DEL", {}, { do: "remove", removals: [{ call: call({}, { name: "zone" }) }] }],
  ["DEL", { wrapper: { ...renamed, network: "disc" } }, { removals: [{ call: call(eth1, { name: "disc" }) }] }],
  ["GC", {}, { do: "handOver", call: call({}, { name: "zone" }) }],
  ["GC", { "cni.dev/valid-attachments": [] }, { do: "handOver" }],
  ["GC", { wrapper: renamed }, { call: call({}, { name: "zone-eth1" }) }],
  ["STATUS", {}, { call: call({}, { name: "zone" }), withoutDelegate: "unavailable" }],
  ["STATUS", { wrapper: renamed }, { call: call({}, { name: "zone-eth1" }) }],
])("first in the chain, or without a prevResult: %s %j", (command, configuration, plan) => {
  expect(planned(command, configuration)).toMatchObject(plan);
});

describe("a prevResult that cannot be read", () => {
  const prevResult = { ...bothResult, ips: [{ address: "10.0.0.2/24", interface: 4 }] };
  const problem = "invalid prevResult: prevResult.ips[0].interface is outside the list of 4 interfaces";

  test.each(["ADD", "CHECK"] as const)("%s: code 7", (command) => {
    expect(failure(() => planned(command, { prevResult }))).toMatchObject({ code: 7, message: problem });
  });
});

describe("an index outside the list if nothing must be re-indexed", () => {
  const ips = [{ address: "172.26.64.2/20", interface: 9 }];
  const alone = { ...bridgeResult, interfaces: [...bridgeResult.interfaces, { name: "trailing" }], ips };
  const noInterfaces = { cniVersion: "1.0.0", ips: [{ address: "172.26.64.2/20", interface: 0 }] };

  test.each([
    ["the only attachment", alone],
    ["no container interface", noInterfaces],
  ])("passes unchanged on CHECK, DEL and ADD of a chained plugin: %s", (_, prevResult) => {
    for (const command of ["ADD", "CHECK", "DEL"] as const) {
      const plan = planned(command, { wrapper: renamed, prevResult }, "tuning-wrapper");
      const shown = { call: { configuration: { prevResult } } };
      expect(plan).toMatchObject(command === "DEL" ? { removals: [shown] } : shown);
      if (command === "ADD") expect(plan).toMatchObject({ splice: { as: "only" } });
    }
  });

  test.each([alone, noInterfaces])("is code 7 on ADD of a creator, which appends interfaces", (prevResult) => {
    const failed = failure(() => planned("ADD", { wrapper: { ifName: "eth2" }, prevResult }));
    expect(failed).toMatchObject({ code: 7, message: expect.stringContaining("outside the list") });
  });
});

describe("specification versions", () => {
  const unchained = [undefined, "", "0.1.0", "0.2.0"];
  const unknown = ["1.2.0", "9.9.9"];

  describe.each([...unchained, ...unknown])("%s", (cniVersion) => {
    const prevResult = { ip4: { ip: "10.0.0.2/24" }, interfaces: 7 };

    test.each([{}, { ...renamed, network: "disc" }])("DEL in a chain gets prevResult unchanged: %j", (wrapper) => {
      const plan = planned("DEL", { cniVersion, wrapper, prevResult });
      expect(plan).toMatchObject({ do: "remove", removals: [{ call: { configuration: { prevResult } } }] });
    });
  });
});

describe("a chain of another version, the interface not renamed", () => {
  const prevResult = { ip4: { ip: "10.0.0.2/24" } };

  test.each(["0.1.0", "0.2.0", undefined])("%s: the delegate gets prevResult unchanged", (cniVersion) => {
    for (const command of ["ADD", "CHECK", "DEL"] as const) {
      const plan = planned(command, { cniVersion, prevResult });
      const unchanged = { call: { configuration: { prevResult, name: "zone" } } };
      expect(plan).toMatchObject(command === "DEL" ? { removals: [unchanged] } : unchanged);
    }
  });

  test.each(["1.2.0", "9.9.9"])("%s: code 1, because its contents are unknown", (cniVersion) => {
    for (const command of ["ADD", "CHECK"] as const) {
      const failed = failure(() => planned(command, { cniVersion, prevResult }));
      expect(failed).toMatchObject({ code: 1, details: expect.stringContaining(cniVersion) });
    }
  });
});

test.each(["0.4.0", "1.0.0"])("errors have the version of the configuration: %s", (cniVersion) => {
  const { stdout } = callWrapper({ calledAs: "cni-wrappers", stdin: { cniVersion, name: "zone" } });
  expect(JSON.parse(stdout)).toMatchObject({ cniVersion, code: 7 });
});
