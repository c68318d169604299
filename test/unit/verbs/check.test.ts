import { describe, expect, test } from "vitest";
import { profiles } from "../../../plugins/index.ts";
import { narrowCheck, planCheck } from "../../../shared/plan/check.ts";
import { targetOf } from "../../../shared/call/target.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import type { CniResult } from "../../../shared/protocol/result.ts";
import { callWrapper } from "../support/fake-host.ts";
import { frozen } from "../support/frozen.ts";
import { keptRecords, recordOf } from "../support/records.ts";
import { blue, requestOf } from "../support/requests.ts";
import { bothResult } from "../support/results.ts";

function planned(configuration: JsonObject, prevResult: CniResult, calledAs = "bridge-wrapper") {
  const request = requestOf("CHECK", { ...configuration, prevResult });
  return narrowCheck(request, targetOf(request, calledAs, profiles), frozen(prevResult));
}

const ipam = { type: "host-local" };

test("the delegate gets its own attachment, under the name of its interface", () => {
  const configuration = { wrapper: { ifName: "eth1" }, bridge: "disc0", isGateway: true, ipam };
  expect(planned(configuration, bothResult).call).toStrictEqual({
    delegate: "bridge",
    environment: { CNI_IFNAME: "eth1" },
    configuration: {
      cniVersion: "1.0.0",
      name: "zone-eth1",
      bridge: "disc0",
      isGateway: true,
      ipam,
      type: "bridge",
      prevResult: {
        cniVersion: "1.0.0",
        interfaces: [
          { name: "disc0", mac: "02:00:00:00:00:02" },
          { name: "veth1", mac: "02:00:00:00:00:03" },
          { name: "eth1", mac: "02:00:00:00:00:04", sandbox: blue },
        ],
        ips: [{ address: "172.26.64.2/20", gateway: "172.26.64.1", interface: 2 }],
        routes: [{ dst: "10.99.0.0/16" }, { dst: "10.98.0.0/16", gw: "172.26.64.1" }],
        dns: { nameservers: ["172.16.5.1", "172.26.64.1"] },
      },
    },
  });
});

describe("the MAC of the bridge", () => {
  const gateway = { wrapper: { ifName: "eth1" }, bridge: "disc0", isGateway: true, ipam };
  const layer2 = { wrapper: { ifName: "eth1" }, bridge: "disc0", ipam };
  const [, bridge, ...ports] = bothResult.interfaces;

  function shown(configuration: JsonObject, files: Record<string, string>): unknown {
    const stdin = { cniVersion: "1.0.0", name: "zone", ...configuration, prevResult: bothResult };
    const [run] = callWrapper({ env: { CNI_COMMAND: "CHECK" }, stdin }, { files }).runs;
    return (run?.stdin as { prevResult?: CniResult } | undefined)?.prevResult?.interfaces;
  }

  test.each([
    ["3\n", gateway, "compared"],
    ["3\n", layer2, "compared"],
    ["1\n", gateway, "left out"],
    ["1\n", layer2, "left out"],
    ["0\n", gateway, "left out"],
    ["33\n", gateway, "left out"],
    ["", gateway, "left out"],
  ])("the kernel decides: addr_assign_type %j, %j: it is %s", (origin, configuration, outcome) => {
    const files = { "/sys/class/net/disc0/addr_assign_type": origin };
    const first = outcome === "compared" ? bridge : { name: "disc0" };
    expect(shown(configuration, files)).toStrictEqual([first, ...ports]);
  });

  test("the configuration decides if the kernel does not say", () => {
    expect(shown(gateway, {})).toStrictEqual([bridge, ...ports]);
    expect(shown(layer2, {})).toStrictEqual([{ name: "disc0" }, ...ports]);
  });

  test("is removed before wrapper.jq runs", () => {
    const stdin = { cniVersion: "1.0.0", name: "zone", wrapper: { ifName: "eth1", jq: "." }, prevResult: bothResult };
    const seen: string[] = [];
    const jq = (_: string, input: string) => {
      seen.push(input);
      return { output: input };
    };
    const call = { env: { CNI_COMMAND: "CHECK" }, stdin: { ...stdin, bridge: "disc0" } };
    callWrapper(call, { jq, files: { "/sys/class/net/disc0/addr_assign_type": "1\n" } });
    expect(JSON.parse(seen[0] ?? "").prevResult.interfaces).toStrictEqual([{ name: "disc0" }, ...ports]);
  });

  test("the kernel is not asked if prevResult does not list the device", () => {
    expect(planned({ wrapper: { ifName: "eth0" }, bridge: "disc0" }, bothResult)).not.toHaveProperty("mac");
    expect(planned({ wrapper: { ifName: "eth1" }, bridge: "other" }, bothResult)).not.toHaveProperty("mac");
  });
});

describe("a plugin whose CHECK needs ipam", () => {
  const only = { interfaces: [{ name: "eth0", sandbox: blue }] };

  test.each([[{}], [{ ipam: {} }], [{ ipam: null }], [{ ipam: { type: "" } }]])("gets static: %j", (configuration) => {
    expect(planned(configuration, only).call.configuration).toHaveProperty("ipam", { type: "static" });
  });

  test.each([[{ ipam }], [{ ipam: { Type: "dhcp" } }]])("keeps its own: %j", (configuration) => {
    expect(planned(configuration, only).call.configuration).toMatchObject(configuration);
  });

  test("another plugin gets none", () => {
    expect(planned({}, only, "macvlan-wrapper").call.configuration).not.toHaveProperty("ipam");
  });
});

test("a missing attachment is an error, even next to a single other one", () => {
  expect(() => planned({ wrapper: { ifName: "eth1" } }, { interfaces: [{ name: "eth0", sandbox: blue }] })).toThrow(
    expect.objectContaining({ code: 103, details: expect.stringContaining("prevResult has eth0.") }),
  );
});

test("the error for a missing attachment lists the existing ones", () => {
  expect(() => planned({ wrapper: { ifName: "eth2" } }, bothResult)).toThrow(
    expect.objectContaining({
      code: 103,
      message: "interface eth2 is not in prevResult",
      details: expect.stringContaining("prevResult has eth0, eth1."),
    }),
  );
});

test.each([[{}], [{ interfaces: [{ name: "veth0" }], ips: [{ address: "10.0.0.2/24" }] }]])(
  "a prevResult without any container interface is passed unchanged: %j",
  (prevResult) => {
    expect(planned({}, prevResult, "macvlan-wrapper").call.configuration?.prevResult).toStrictEqual(prevResult);
  },
);

describe("interfaces that a chained plugin added", () => {
  const added = [{ name: "eth1", sandbox: blue }];
  const seen = (calledAs: string, wrapper: JsonObject = {}, delegate = "macvlan") => {
    const request = requestOf("CHECK", { wrapper, prevResult: bothResult });
    const records = keptRecords([recordOf({ delegate })]);
    let asked = 0;
    const counting = { ...records, read: () => (++asked ? [recordOf({ delegate, added })] : []) };
    const plan = planCheck(request, targetOf(request, calledAs, profiles), counting);
    const shown = plan.do === "handOver" ? (plan.call.configuration?.prevResult as CniResult) : undefined;
    return [asked, shown?.interfaces?.map(({ name }) => name).join()];
  };

  test("are looked for once, for a plugin without a profile", () => {
    expect(seen("own-wrapper")).toEqual([1, "eth0,disc0,veth1,eth1"]);
    expect(seen("own-wrapper", { role: "meta" })).toEqual([1, "eth0,disc0,veth1,eth1"]);
  });

  test("are not looked for, for a plugin with a profile or a creator", () => {
    expect(seen("macvlan-wrapper")).toEqual([0, "eth0"]);
    expect(seen("portmap-wrapper")).toEqual([0, "eth0"]);
    expect(seen("own-wrapper", { role: "creator" })).toEqual([0, "eth0"]);
    expect(seen("own-wrapper", {}, "own")).toEqual([0, "eth0"]);
  });
});
