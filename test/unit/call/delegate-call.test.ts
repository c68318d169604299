import { describe, expect, test } from "vitest";
import { delegateCall } from "../../../shared/call/delegate-call.ts";
import { askingFor } from "../../../shared/call/networks.ts";
import { targetOf } from "../../../shared/call/target.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import type { Variables } from "../../../shared/protocol/request.ts";
import { requestOf } from "../support/requests.ts";

function callOf(configuration: JsonObject, variables: Partial<Variables> = {}) {
  const request = requestOf("ADD", configuration, variables);
  return delegateCall({ request, target: targetOf(request, "bridge-wrapper", {}) });
}

test("the runtime's own interface changes no variable", () => {
  expect(callOf({ type: "bridge-wrapper" }, { args: "IP=10.0.0.2" })).toStrictEqual({
    delegate: "bridge",
    environment: {},
    configuration: { cniVersion: "1.0.0", name: "zone", type: "bridge" },
  });
});

test.each(["PrevResult", "PREVRESULT", "prevresult", "prevRe\u017fult"])(
  "%s never reaches a delegate in place of prevResult",
  (key) => {
    const call = callOf({ [key]: { ips: [] }, prevResults: 1 });
    expect(call.configuration).toEqual({ cniVersion: "1.0.0", name: "zone", type: "bridge", prevResults: 1 });
    const both = callOf({ prevResult: { routes: [] }, [key]: { ips: [] } });
    expect(both.configuration).toMatchObject({ prevResult: { routes: [] } });
    expect(both.configuration).not.toHaveProperty([key]);
  },
);

test("CNI_ARGS of a renamed interface are kept if args says so", () => {
  const { environment } = callOf({ wrapper: { ifName: "eth1", args: "keep" } }, { args: "IP=10.0.0.2" });
  expect(environment).toStrictEqual({ CNI_IFNAME: "eth1" });
});

describe("CNI_ARGS by wrapper.args", () => {
  const args = { IP: "ETH1_IP" };

  test("recovery does not override a requested address", () => {
    const ipam = { type: "host-local" };
    const call = callOf({ wrapper: { ifName: "eth1", args }, ipam }, { args: "ETH1_IP=10.0.0.9" });
    expect(askingFor(call, ["10.0.0.5/24"], call.environment.CNI_ARGS ?? "")).toBeUndefined();
    const free = callOf({ wrapper: { ifName: "eth1", args }, ipam }, { args: "IP=10.0.0.2" });
    expect(askingFor(free, ["10.0.0.5/24"], free.environment.CNI_ARGS ?? "")).toBeDefined();
  });
});

test("a verb without CNI_IFNAME gets none", () => {
  expect(callOf({ wrapper: { ifName: "eth1" } }, { ifName: "", args: "IP=10.0.0.2" }).environment).toStrictEqual({});
});
