import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import type { ConfiguredVerb } from "../../../shared/protocol/request.ts";
import { callWrapper, planOf } from "../support/fake-host.ts";
import { blue, requestOf } from "../support/requests.ts";
import { bridgeResult } from "../support/results.ts";

const renamed = { ifName: "eth1" };
const eth1 = { CNI_IFNAME: "eth1" };
const eth1Name = { ifName: "eth1", netns: blue, runtimeIfName: "eth0" };

function planned(command: ConfiguredVerb, configuration: JsonObject = {}, calledAs = "bridge-wrapper") {
  const withoutInterface = { containerId: "", netns: "", ifName: "" };
  const variables = command === "GC" || command === "STATUS" ? withoutInterface : {};
  return planOf(requestOf(command, configuration, variables), calledAs);
}

/** The delegate's call. */
function call(environment: Record<string, string>, configuration: JsonObject) {
  return { delegate: "bridge", environment, configuration: { cniVersion: "1.0.0", type: "bridge", ...configuration } };
}

test.each<[ConfiguredVerb, JsonObject, object]>([
  [
    "ADD",
    { wrapper: renamed },
    { call: call(eth1, { name: "zone-eth1" }), splice: { as: "first", selector: eth1Name } },
  ],
  ["ADD", { wrapper: { ifName: "eth0" } }, { call: call({}, { name: "zone-eth0" }), splice: { as: "only" } }],
  ["ADD", { prevResult: null }, { call: call({}, { name: "zone", prevResult: null }), splice: { as: "only" } }],
  ["CHECK", {}, { do: "handOver", call: call({}, { name: "zone" }) }],
  ["DEL", { wrapper: { ...renamed, network: "disc" } }, { removals: [{ call: call(eth1, { name: "disc" }) }] }],
  ["GC", { "cni.dev/valid-attachments": [] }, { do: "handOver" }],
  ["STATUS", {}, { call: call({}, { name: "zone" }), withoutDelegate: "unavailable" }],
  ["STATUS", { wrapper: renamed }, { call: call({}, { name: "zone-eth1" }) }],
])("first in the chain, or without a prevResult: %s %j", (command, configuration, plan) => {
  expect(planned(command, configuration)).toMatchObject(plan);
});

describe("an index outside the list if nothing must be re-indexed", () => {
  const ips = [{ address: "172.26.64.2/20", interface: 9 }];
  const alone = { ...bridgeResult, interfaces: [...bridgeResult.interfaces, { name: "trailing" }], ips };
  const noInterfaces = { cniVersion: "1.0.0", ips: [{ address: "172.26.64.2/20", interface: 0 }] };

  test.each([
    ["the only attachment", alone],
    ["no container interface", noInterfaces],
  ])("passes unchanged on CHECK, DEL and ADD of a chained plugin, and no ADD of a creator: %s", (_, prevResult) => {
    for (const command of ["ADD", "CHECK", "DEL"] as const) {
      const plan = planned(command, { wrapper: renamed, prevResult }, "tuning-wrapper");
      const shown = { call: { configuration: { prevResult } } };
      expect(plan).toMatchObject(command === "DEL" ? { removals: [shown] } : shown);
      if (command === "ADD") expect(plan).toMatchObject({ splice: { as: "only" } });
    }
    const message = expect.stringContaining("invalid prevResult: prevResult.ips[0].interface is outside the list");
    expect(() => planned("ADD", { wrapper: { ifName: "eth2" }, prevResult })).toThrow(
      expect.objectContaining({ code: 7, message }),
    );
  });
});

describe("a chain of another version", () => {
  const prevResult = { ip4: { ip: "10.0.0.2/24" }, interfaces: 7 };
  const unchanged = { call: { configuration: { prevResult } } };

  test.each(["0.1.0", "0.2.0", undefined])("%s: the delegate gets prevResult unchanged", (cniVersion) => {
    for (const command of ["ADD", "CHECK"] as const)
      expect(planned(command, { cniVersion, prevResult })).toMatchObject(unchanged);
  });

  test.each([undefined, "", "0.1.0", "0.2.0", "1.2.0"])("%s: the delegate of DEL gets it unchanged", (cniVersion) => {
    for (const wrapper of [{}, { ...renamed, network: "disc" }]) {
      const plan = planned("DEL", { cniVersion, wrapper, prevResult });
      expect(plan).toMatchObject({ do: "remove", removals: [unchanged] });
    }
  });

  test("that is unknown: ADD and CHECK fail with code 1, because its contents are unknown", () => {
    for (const command of ["ADD", "CHECK"] as const) {
      const details = expect.stringContaining("1.2.0");
      expect(() => planned(command, { cniVersion: "1.2.0", prevResult })).toThrow(
        expect.objectContaining({ code: 1, details }),
      );
    }
  });
});

test.each(["0.4.0", "1.0.0"])("errors have the version of the configuration: %s", (cniVersion) => {
  const { stdout } = callWrapper({ calledAs: "cni-wrappers", stdin: { cniVersion, name: "zone" } });
  expect(JSON.parse(stdout)).toMatchObject({ cniVersion, code: 7 });
});
