import { describe, expect, test } from "vitest";
import { delegateCall } from "../../../shared/call/delegate-call.ts";
import { askingFor } from "../../../shared/call/earlier-addresses.ts";
import { targetOf } from "../../../shared/call/target.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import type { Variables } from "../../../shared/protocol/variables.ts";
import { frozen } from "../support/frozen.ts";
import { requestOf } from "../support/requests.ts";

function callOf(configuration: JsonObject, variables: Partial<Variables> = {}) {
  const request = requestOf("ADD", configuration, variables);
  return delegateCall({ request, target: targetOf(request, "bridge-wrapper", {}) });
}

test("type is the delegate's, name is its network, the wrapper block is gone, everything else is unchanged", () => {
  const rest = { bridge: "br0", ipam: { type: "static" }, runtimeConfig: { mac: "x" }, extra: [null, { a: 1 }] };
  const came = { type: "bridge-wrapper", wrapper: { ifName: "eth1", log: { level: "info" } }, ...rest };
  expect(callOf(came)).toStrictEqual({
    delegate: "bridge",
    environment: { CNI_IFNAME: "eth1" },
    configuration: { cniVersion: "1.0.0", name: "zone-eth1", type: "bridge", ...rest },
  });
});

test("the runtime's own interface changes no variable", () => {
  expect(callOf({ type: "bridge-wrapper" }, { args: "IP=10.0.0.2" })).toStrictEqual({
    delegate: "bridge",
    environment: {},
    configuration: { cniVersion: "1.0.0", name: "zone", type: "bridge" },
  });
});

test("keys keep their order", () => {
  const text = Object.keys(callOf({ zeta: 1, type: "bridge-wrapper", wrapper: {}, alpha: 2 }).configuration ?? {});
  expect(text).toEqual(["cniVersion", "name", "zeta", "type", "alpha"]);
});

describe("prevResult", () => {
  const prevResult = frozen({ ips: [] });
  const request = requestOf("ADD", { prevResult });
  const target = targetOf(request, "bridge-wrapper", {});

  test("unchanged", () => {
    expect(delegateCall({ request, target }).configuration).toHaveProperty("prevResult", { ips: [] });
    expect(callOf({ prevResult: null }).configuration).toHaveProperty("prevResult", null);
    expect(callOf({}).configuration).not.toHaveProperty("prevResult");
  });

  test.each(["PrevResult", "PREVRESULT", "prevresult", "prevRe\u017fult"])("%s never reaches a delegate", (key) => {
    const call = callOf({ [key]: { ips: [] }, prevResults: 1 });
    expect(call.configuration).toEqual({ cniVersion: "1.0.0", name: "zone", type: "bridge", prevResults: 1 });
    const both = callOf({ prevResult: { routes: [] }, [key]: { ips: [] } });
    expect(both.configuration).toMatchObject({ prevResult: { routes: [] } });
    expect(both.configuration).not.toHaveProperty([key]);
  });

  test("none", () => {
    expect(delegateCall({ request, target }, "none").configuration).not.toHaveProperty("prevResult");
  });

  test("a narrowed one", () => {
    expect(delegateCall({ request, target }, { routes: [] }).configuration?.prevResult).toStrictEqual({ routes: [] });
  });
});

describe("CNI_ARGS of a renamed interface", () => {
  test.each([
    ["IP=10.0.0.2", ""],
    ["IP=10.0.0.2;MAC=02:00:00:00:00:01", ""],
    ["IgnoreUnknown=1;IP=10.0.0.2;K8S_POD_NAME=web", "IgnoreUnknown=1;K8S_POD_NAME=web"],
    ["MAC=02:00:00:00:00:01;A=;B", "A=;B"],
  ])("%s: requests for the runtime's interface are left out", (args, expected) => {
    const { environment } = callOf({ wrapper: { ifName: "eth1" } }, { args });
    expect(environment).toStrictEqual({ CNI_IFNAME: "eth1", CNI_ARGS: expected });
  });

  test.each(["", "A=1;B=2", "IPAM=x;MACS=y;ip=10.0.0.2;mac=x;XIP=1", ";;A=1;"])("%j stays as it is", (args) => {
    expect(callOf({ wrapper: { ifName: "eth1" } }, { args }).environment).toStrictEqual({ CNI_IFNAME: "eth1" });
  });

  test("or is kept", () => {
    const { environment } = callOf({ wrapper: { ifName: "eth1", args: "keep" } }, { args: "IP=10.0.0.2" });
    expect(environment).toStrictEqual({ CNI_IFNAME: "eth1" });
  });
});

describe("CNI_ARGS by wrapper.args", () => {
  const args = { IP: "ETH1_IP" };

  test.each([
    [
      { ifName: "eth1", args },
      { CNI_IFNAME: "eth1", CNI_ARGS: "ETH1_IP=10.0.0.9;IP=10.0.0.9" },
    ],
    [{ args }, { CNI_ARGS: "ETH1_IP=10.0.0.9;IP=10.0.0.9" }],
  ])("%j: the delegate is asked for the address under another key", (wrapper, expected) => {
    expect(callOf({ wrapper }, { args: "IP=10.0.0.2;ETH1_IP=10.0.0.9" }).environment).toStrictEqual(expected);
  });

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
