import { describe, expect, test } from "vitest";
import type { Plan } from "../../../shared/call/plan.ts";
import { planRequest, planVersion } from "../../../shared/verbs/plan-request.ts";
import type { Profiles } from "../../../shared/plugin/profile.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import type { ConfiguredVerb } from "../../../shared/protocol/request.ts";
import { frozen } from "../support/frozen.ts";
import { keptRecords, noRecords, recordOf } from "../support/records.ts";
import { blue, requestOf } from "../support/requests.ts";
import { bothResult, bridgeResult, macvlanResult } from "../support/results.ts";

const profiles: Profiles = frozen({
  bridge: { role: "creator" },
  tuning: { role: "meta" },
  sbr: { role: "meta", movesRoutes: true },
});
const renamed = { ifName: "eth1" };
const eth1Name = { ifName: "eth1", netns: blue, runtimeIfName: "eth0" };

function planned(
  command: ConfiguredVerb,
  configuration: JsonObject = {},
  calledAs = "bridge-wrapper",
  records = noRecords,
): Plan {
  const withoutInterface = { containerId: "", netns: "", ifName: "" };
  const variables = command === "GC" || command === "STATUS" ? withoutInterface : {};
  return planRequest(requestOf(command, configuration, variables), calledAs, profiles, records);
}

/** The plan of a hand-over, with the delegate's configuration. */
function handOver(environment: Record<string, string>, configuration: JsonObject, more: object = {}) {
  return {
    do: "handOver",
    call: { delegate: "bridge", environment, configuration: { cniVersion: "1.0.0", type: "bridge", ...configuration } },
    withoutDelegate: "delegateNotFound",
    effects: [],
    ...more,
  };
}

/** The key of the record of a call's attachment. */
function key(ifName = "eth0") {
  return { network: "zone", containerId: "blue", runtimeIfName: "eth0", ifName };
}

function splice(environment: Record<string, string>, configuration: JsonObject, as: object) {
  const call = {
    delegate: "bridge",
    environment,
    configuration: { cniVersion: "1.0.0", type: "bridge", ...configuration },
  };
  const made = { listed: expect.any(String), netns: blue, delegate: "bridge", delegateNetwork: configuration.name };
  const recovery = { key: key(environment.CNI_IFNAME), mode: "own", ...made, earlierNetns: "" };
  return { do: "splice", call, splice: as, recovery };
}

/** The same call in the network that the list names. */
function inList(environment: Record<string, string>, more: object = {}) {
  return handOver(environment, { name: "zone", ...more }).call;
}

const collecting = [{ do: "collectGarbage", garbage: { removals: [], forget: [] } }];
const macvlanShown = {
  ...macvlanResult,
  routes: [{ dst: "0.0.0.0/0", gw: "172.16.5.1" }, { dst: "10.99.0.0/16" }],
  dns: bothResult.dns,
};
const bridgeShown = { ...bridgeResult, dns: bothResult.dns };
const eth1 = { CNI_IFNAME: "eth1" };
const followingRoutes = (ifName = "eth0") => {
  const routing = { key: key(ifName), netns: blue, of: "creator" };
  return [{ do: "followMovedRoutes", routing }];
};

describe("first in the chain, or without a prevResult", () => {
  test.each([
    ["ADD", {}, splice({}, { name: "zone" }, { as: "only" })],
    ["ADD", { wrapper: renamed }, splice(eth1, { name: "zone-eth1" }, { as: "first", selector: eth1Name })],
    ["ADD", { prevResult: null }, splice({}, { name: "zone", prevResult: null }, { as: "only" })],
    ["CHECK", {}, handOver({}, { name: "zone" })],
    ["CHECK", { wrapper: renamed }, handOver(eth1, { name: "zone-eth1" }, { fallback: inList(eth1) })],
    ["CHECK", { wrapper: { ...renamed, network: "disc" } }, handOver(eth1, { name: "disc" })],
    ["DEL", {}, handOver({}, { name: "zone" })],
    ["DEL", { wrapper: { ...renamed, network: "disc" } }, handOver({ ...eth1, CNI_NETNS: "" }, { name: "disc" })],
    ["GC", {}, handOver({}, { name: "zone" }, { effects: collecting })],
    ["GC", { wrapper: renamed }, handOver({}, { name: "zone-eth1" }, { effects: collecting })],
    ["STATUS", {}, handOver({}, { name: "zone" }, { withoutDelegate: "unavailable" })],
    ["STATUS", { wrapper: renamed }, handOver({}, { name: "zone-eth1" }, { withoutDelegate: "unavailable" })],
  ] as const)("%s %j", (command, configuration, plan) => {
    expect(planned(command, configuration)).toStrictEqual(plan);
  });
});

describe("chained", () => {
  test("ADD of a creator", () => {
    const configuration = { wrapper: renamed, prevResult: macvlanResult };
    const as = { as: "creator", selector: eth1Name, prevResult: macvlanResult };
    expect(planned("ADD", configuration)).toStrictEqual({
      ...splice(eth1, { name: "zone-eth1" }, as),
      expectedRecords: [{ ifName: "eth0", file: "/var/lib/cni/wrappers/zone:blue:eth0:eth0" }],
    });
  });

  test("ADD of a meta plugin, which does not recover", () => {
    const { call, splice, recovery } = planned("ADD", { prevResult: bothResult }, "tuning-wrapper") as Plan & {
      do: "splice";
    };
    expect(call).toMatchObject({ delegate: "tuning", environment: {}, configuration: { prevResult: macvlanShown } });
    expect(splice).toMatchObject({ as: "meta", attachment: { container: 0 } });
    expect(recovery).toBeUndefined();
  });

  test.each([
    ["CHECK", {}, handOver({}, { name: "zone", prevResult: macvlanShown }, { effects: followingRoutes() })],
    [
      "CHECK",
      { wrapper: renamed },
      handOver(
        eth1,
        { name: "zone-eth1", prevResult: bridgeShown },
        { effects: followingRoutes("eth1"), fallback: inList(eth1, { prevResult: bridgeShown }) },
      ),
    ],
    ["DEL", {}, handOver({}, { name: "zone", prevResult: macvlanShown })],
  ] as const)("%s %j", (command, configuration, plan) => {
    expect(planned(command, { ...configuration, prevResult: bothResult })).toStrictEqual(plan);
  });

  test("CHECK of a renamed interface with a record runs only in its own network", () => {
    const request = { wrapper: renamed, prevResult: bothResult };
    const recorded = keptRecords([recordOf({ ifName: "eth1" })]);
    expect(planned("CHECK", request, "bridge-wrapper", recorded)).not.toHaveProperty("fallback");
    const other = keptRecords([recordOf()]);
    expect(planned("CHECK", request, "bridge-wrapper", other)).toHaveProperty("fallback");
    expect(planned("CHECK", request, "tuning-wrapper", other)).not.toHaveProperty("fallback");
  });

  test("a plugin that moves routes records them", () => {
    const request = { wrapper: renamed, prevResult: bothResult };
    const mover = { key: key("eth1"), netns: blue, of: "mover" };
    expect(planned("CHECK", request, "tuning-wrapper")).toHaveProperty("effects", []);
    expect(planned("ADD", request, "sbr-wrapper")).toHaveProperty("routing", mover);
    expect(planned("CHECK", request, "sbr-wrapper")).toHaveProperty("effects", [
      { do: "followMovedRoutes", routing: mover },
    ]);
  });

  test("DEL of a missing attachment is noted", () => {
    const effects = [{ do: "warn", message: "interface eth9 is not in prevResult: the delegate gets no prevResult" }];
    const wrapper = { ifName: "eth9", network: "disc" };
    expect(planned("DEL", { wrapper, prevResult: bothResult })).toStrictEqual(
      handOver({ CNI_IFNAME: "eth9" }, { name: "disc" }, { effects }),
    );
  });

  test("GC and STATUS have no prevResult; they are passed on unchanged", () => {
    expect(planned("GC", { prevResult: bothResult })).toStrictEqual(
      handOver({}, { name: "zone", prevResult: bothResult }, { effects: collecting }),
    );
  });
});

describe("recovery", () => {
  test.each([{}, { prevResult: macvlanResult }])("has the mode of the wrapper block (%j)", (more) => {
    const planOf = (recover: string) => planned("ADD", { wrapper: { ...renamed, recover }, ...more });
    expect(planOf("own")).toMatchObject({ recovery: { mode: "own" } });
    expect(planOf("always")).toMatchObject({ recovery: { mode: "always" } });
    expect(planOf("never")).toMatchObject({ recovery: { mode: "never" } });
  });

  test("is for creators: an unknown plugin is a creator if its interface does not exist yet", () => {
    expect(planned("ADD", {}, "other-wrapper")).toHaveProperty("recovery");
    expect(planned("ADD", { wrapper: { role: "meta" } }, "other-wrapper")).not.toHaveProperty("recovery");
    expect(planned("ADD", { prevResult: macvlanResult }, "other-wrapper")).not.toHaveProperty("recovery");
    expect(planned("ADD", { prevResult: macvlanResult, wrapper: renamed }, "other-wrapper")).toHaveProperty("recovery");
  });

  test("a meta plugin's earlier try is undone, unless recovery is off", () => {
    const chained = (wrapper: object) => planned("ADD", { wrapper, prevResult: bothResult }, "tuning-wrapper");
    expect(chained(renamed)).toMatchObject({
      metaRecovery: { key: key("eth1"), netns: blue, delegate: "tuning", delegateNetwork: "zone-eth1" },
    });
    expect(chained({ recover: "never" })).not.toHaveProperty("metaRecovery");
    expect(planned("ADD", { prevResult: macvlanResult })).not.toHaveProperty("metaRecovery");
  });

  test("two tunings of one interface have a record each, the same at every try", () => {
    const fileOf = (more: object) => {
      const plan = planned("ADD", { prevResult: bothResult, ...more }, "tuning-wrapper");
      return plan.do === "splice" ? plan.metaRecovery?.file : undefined;
    };
    const [first, second] = [fileOf({ mtu: 1400 }), fileOf({ mtu: 1300 })];
    expect(first).toMatch(/^\/var\/lib\/cni\/wrappers\/zone:blue:eth0:eth0:tuning-[0-9a-f]+$/);
    expect(second).not.toBe(first);
    const again = { mtu: 1400, runtimeConfig: { mac: "m" }, prevResult: { ...bothResult, dns: {} } };
    expect(fileOf(again)).toBe(first);
  });
});

describe("a prevResult that cannot be read", () => {
  const prevResult = { ...bothResult, ips: [{ address: "10.0.0.2/24", interface: 4 }] };
  const problem = "invalid prevResult: prevResult.ips[0].interface is outside the list of 4 interfaces";

  test.each(["ADD", "CHECK"] as const)("%s: code 7", (command) => {
    expect(planned(command, { prevResult })).toStrictEqual({
      do: "fail",
      error: { cniVersion: "1.0.0", code: 7, msg: problem, details: expect.any(String) },
    });
  });

  test("DEL: no error", () => {
    const effects = [{ do: "warn", message: `${problem}: the delegate gets no prevResult` }];
    expect(planned("DEL", { prevResult })).toStrictEqual(handOver({}, { name: "zone" }, { effects }));
  });

  test("ADD of a meta plugin: code 7", () => {
    expect(planned("ADD", { prevResult }, "tuning-wrapper")).toMatchObject({
      do: "fail",
      error: { code: 7, msg: problem },
    });
  });

  test.each(["GC", "STATUS"] as const)("%s: not checked", (command) => {
    expect(planned(command, { prevResult })).toMatchObject({ do: "handOver", call: { configuration: { prevResult } } });
  });
});

describe("an index outside the list if nothing must be re-indexed", () => {
  const ips = [{ address: "172.26.64.2/20", interface: 9 }];
  const alone = { ...bridgeResult, interfaces: [...bridgeResult.interfaces, { name: "trailing" }], ips };
  const noInterfaces = { cniVersion: "1.0.0", ips: [{ address: "172.26.64.2/20", interface: 0 }] };

  test.each([
    ["the only attachment", alone],
    ["no container interface", noInterfaces],
  ])("passes unchanged on CHECK, DEL and ADD of a meta plugin: %s", (_, prevResult) => {
    for (const command of ["ADD", "CHECK", "DEL"] as const) {
      const plan = planned(command, { wrapper: renamed, prevResult }, "tuning-wrapper");
      expect(plan).toMatchObject({ call: { configuration: { prevResult } } });
      if (command === "ADD") expect(plan).toMatchObject({ splice: { as: "only" } });
    }
  });

  test.each([alone, noInterfaces])("is code 7 on ADD of a creator, which appends interfaces", (prevResult) => {
    const plan = planned("ADD", { wrapper: { ifName: "eth2" }, prevResult });
    expect(plan).toMatchObject({ do: "fail", error: { code: 7, msg: expect.stringContaining("outside the list") } });
  });
});

describe("specification versions", () => {
  const chainVersions = ["0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"];
  const unchainedVersions = [undefined, "", "0.1.0", "0.2.0"];
  const unknownVersions = ["1.2.0", "9.9.9"];
  const otherVersions = [...unchainedVersions, ...unknownVersions];

  describe.each(chainVersions)("%s", (cniVersion) => {
    test.each(["ADD", "CHECK", "DEL"] as const)("%s in a chain is planned", (command) => {
      expect(planned(command, { cniVersion, wrapper: renamed, prevResult: { cniVersion } }).do).not.toBe("fail");
    });
  });

  describe.each(otherVersions)("%s", (cniVersion) => {
    const prevResult = { ip4: { ip: "10.0.0.2/24" }, interfaces: 7 };

    test.each(["ADD", "CHECK"] as const)("%s of a renamed interface in a chain: code 1", (command) => {
      const plan = planned(command, { cniVersion, wrapper: renamed, prevResult });
      expect(plan).toMatchObject({ do: "fail", error: { code: 1, msg: "incompatible CNI versions" } });
    });

    test.each([{}, { ...renamed, network: "disc" }])("DEL in a chain gets prevResult unchanged: %j", (wrapper) => {
      const plan = planned("DEL", { cniVersion, wrapper, prevResult });
      expect(plan).toMatchObject({ do: "handOver", call: { configuration: { prevResult } }, effects: [] });
    });

    test.each(["ADD", "CHECK", "DEL", "GC", "STATUS"] as const)("%s alone is left to the delegate", (command) => {
      expect(planned(command, { cniVersion })).toMatchObject({
        do: "handOver",
        call: { configuration: cniVersion === undefined ? {} : { cniVersion } },
      });
    });
  });
});

describe("a chain of another version, the interface not renamed", () => {
  const prevResult = { ip4: { ip: "10.0.0.2/24" } };

  test.each(["0.1.0", "0.2.0", undefined])("%s: the delegate gets prevResult unchanged", (cniVersion) => {
    for (const command of ["ADD", "CHECK", "DEL"] as const) {
      const plan = planned(command, { cniVersion, prevResult });
      expect(plan).toMatchObject({ do: "handOver", call: { configuration: { prevResult, name: "zone" } } });
    }
  });

  test.each(["1.2.0", "9.9.9"])("%s: code 1, because its contents are unknown", (cniVersion) => {
    for (const command of ["ADD", "CHECK"] as const) {
      expect(planned(command, { cniVersion, prevResult })).toStrictEqual({
        do: "fail",
        error: { cniVersion, code: 1, msg: "incompatible CNI versions", details: expect.stringContaining(cniVersion) },
      });
    }
  });
});

describe("errors have the version of the configuration", () => {
  test.each([
    ["0.4.0", "0.4.0"],
    ["1.0.0", "1.0.0"],
  ])("%s", (cniVersion, expected) => {
    const plan = planned("ADD", { cniVersion }, "cni-wrappers");
    expect(plan).toMatchObject({ do: "fail", error: { cniVersion: expected, code: 7 } });
  });
});

test("an error outside the catalogue is not caught", () => {
  const broken = new Proxy(profiles, {
    getOwnPropertyDescriptor() {
      throw new TypeError("broken");
    },
  });
  expect(() => planRequest(requestOf("ADD"), "bridge-wrapper", broken, noRecords)).toThrow(TypeError);
});

describe("VERSION", () => {
  test("is the delegate's, with the runtime's stdin", () => {
    expect(planVersion("/opt/cni/bin/bridge-wrapper")).toStrictEqual({
      do: "handOver",
      call: { delegate: "bridge", environment: {} },
      withoutDelegate: "ownVersions",
      effects: [],
    });
  });

  test("is the wrapper's own if its name does not name a delegate", () => {
    expect(planVersion("/opt/cni/bin/cni-wrappers")).toStrictEqual({ do: "printVersions" });
  });
});
