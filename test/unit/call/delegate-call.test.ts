import { expect, test } from "vitest";
import { argsOf, delegateCall } from "../../../shared/call/delegate-call.ts";
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

test.each([
  ["ETH1_IP=10.0.0.9", undefined],
  ["IP=10.0.0.2", expect.anything()],
])("recovery does not override an address that wrapper.args asks for: %s", (args, asking) => {
  const wrapper = { ifName: "eth1", args: { IP: "ETH1_IP" } };
  const call = callOf({ wrapper, ipam: { type: "host-local" } }, { args });
  expect(askingFor(call, ["10.0.0.5/24"], call.environment.CNI_ARGS ?? "")).toEqual(asking);
});

test("with wrapper.args as an object, a key may be mapped to itself, and any key may be mapped", () => {
  expect(argsOf("IP=1;MAC=2", { IP: "IP" }, true)).toBe("IP=1");
  expect(argsOf("GATEWAY=1;G=2", { GATEWAY: "G" }, true)).toBe("G=2;GATEWAY=2");
});

test("a verb without CNI_IFNAME gets none", () => {
  expect(callOf({ wrapper: { ifName: "eth1" } }, { ifName: "", args: "IP=10.0.0.2" }).environment).toStrictEqual({});
});
