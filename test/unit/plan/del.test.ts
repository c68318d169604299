import { describe, expect, test } from "vitest";
import { planDel, planLenientDel } from "../../../shared/plan/del.ts";
import { subjectOf } from "../../../shared/plan/subject.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import type { CniResult } from "../../../shared/protocol/result.ts";
import { frozen } from "../support/frozen.ts";
import { requestOf } from "../support/requests.ts";
import { bothResult, bridgeResult } from "../support/results.ts";

function planned(wrapper: JsonObject, prevResult: CniResult) {
  const request = requestOf("DEL", { wrapper, prevResult });
  return planDel(request, subjectOf(request, "ptp-wrapper", {}), frozen(prevResult));
}

test("the delegate is shown its own attachment", () => {
  const { call, notes } = planned({ ifName: "eth1" }, bothResult);
  expect(call.environment).toStrictEqual({ CNI_IFNAME: "eth1" });
  expect(call.configuration?.prevResult).toStrictEqual({ ...bridgeResult, dns: bothResult.dns });
  expect(notes).toEqual([]);
});

describe("an attachment that is missing among others", () => {
  test.each([
    ["a creator gets no prevResult", { role: "creator" }],
    ["so does a plugin of unknown role", {}],
  ])("%s", (_, wrapper) => {
    const { call, notes } = planned({ ifName: "eth2", ...wrapper }, bothResult);
    expect(call.configuration).toStrictEqual({ cniVersion: "1.0.0", name: "zone-eth2", type: "ptp" });
    expect(notes).toEqual(["interface eth2 is not in prevResult: the delegate gets none"]);
  });

  test("a meta plugin gets it as it came", () => {
    const { call, notes } = planned({ ifName: "eth2", role: "meta" }, bothResult);
    expect(call.configuration?.prevResult).toStrictEqual(bothResult);
    expect(notes).toEqual(["interface eth2 is not in prevResult: the delegate gets it as it came"]);
  });
});

test.each([[{}], [{ interfaces: [{ name: "veth0" }] }]])(
  "a prevResult without any container interface is passed as it came: %j",
  (prevResult) => {
    const { call, notes } = planned({}, prevResult);
    expect(call.configuration?.prevResult).toStrictEqual(prevResult);
    expect(notes).toEqual([]);
  },
);

test("a prevResult that cannot be read hinders no DEL, and the reason is noted", () => {
  const request = requestOf("DEL", { prevResult: { interfaces: 7 } });
  const { call, notes } = planLenientDel(request, subjectOf(request, "ptp-wrapper", {}), "invalid prevResult");
  expect(call.configuration).not.toHaveProperty("prevResult");
  expect(notes).toEqual(["invalid prevResult: the delegate gets none"]);
});
