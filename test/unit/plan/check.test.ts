import { describe, expect, test } from "vitest";
import { planCheck } from "../../../shared/plan/check.ts";
import type { Profiles } from "../../../shared/plan/profile.ts";
import { subjectOf } from "../../../shared/plan/subject.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import type { CniResult } from "../../../shared/protocol/result.ts";
import { frozen } from "../support/frozen.ts";
import { blue, requestOf } from "../support/requests.ts";
import { bothResult } from "../support/results.ts";

const sharedDevice = { key: "bridge", fallback: "cni0", fixedMac: { all: [], any: ["isGateway"], none: [] } };
const profiles: Profiles = frozen({
  bridge: { role: "creator", sharedDevice, checkNeedsIpam: true },
  macvlan: { role: "creator" },
});

function planned(configuration: JsonObject, prevResult: CniResult, calledAs = "bridge-wrapper") {
  const request = requestOf("CHECK", { ...configuration, prevResult });
  return planCheck(request, subjectOf(request, calledAs, profiles), frozen(prevResult));
}

const ipam = { type: "host-local" };

test("the delegate is shown its own attachment, under the name of its interface", () => {
  const configuration = { wrapper: { ifName: "eth1" }, bridge: "disc0", isGateway: true, ipam };
  expect(planned(configuration, bothResult)).toStrictEqual({
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

test("a bridge whose MAC follows its ports is shown by its name", () => {
  const call = planned({ wrapper: { ifName: "eth1" }, bridge: "disc0", ipam }, bothResult);
  expect(call.configuration?.prevResult).toMatchObject({
    interfaces: [{ name: "disc0" }, { name: "veth1", mac: "02:00:00:00:00:03" }, { mac: "02:00:00:00:00:04" }],
  });
  expect(call).not.toHaveProperty("configuration.prevResult.interfaces[0].mac");
});

describe("a plugin whose CHECK cannot do without ipam", () => {
  const only = { interfaces: [{ name: "eth0", sandbox: blue }] };

  test.each([[{}], [{ ipam: {} }], [{ ipam: null }], [{ ipam: { type: "" } }]])("gets static: %j", (configuration) => {
    expect(planned(configuration, only).configuration).toHaveProperty("ipam", { type: "static" });
  });

  test.each([[{ ipam }], [{ ipam: { Type: "dhcp" } }]])("keeps its own: %j", (configuration) => {
    expect(planned(configuration, only).configuration).toMatchObject(configuration);
  });

  test("another plugin gets none", () => {
    expect(planned({}, only, "macvlan-wrapper").configuration).not.toHaveProperty("ipam");
  });
});

test("an attachment that is missing among others is an error that says what is there", () => {
  expect(() => planned({ wrapper: { ifName: "eth2" } }, bothResult)).toThrow(
    expect.objectContaining({
      code: 103,
      message: "interface eth2 is not in prevResult",
      details: expect.stringContaining("prevResult has eth0, eth1."),
    }),
  );
});

test.each([[{}], [{ interfaces: [{ name: "veth0" }], ips: [{ address: "10.0.0.2/24" }] }]])(
  "a prevResult without any container interface is passed as it came: %j",
  (prevResult) => {
    expect(planned({}, prevResult, "macvlan-wrapper").configuration?.prevResult).toStrictEqual(prevResult);
  },
);
