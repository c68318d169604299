import { describe, expect, test } from "vitest";
import { addressesOf } from "../../../shared/attachment/attachments.ts";
import { targetOf } from "../../../shared/call/call.ts";
import { argsOf, delegateCall, withOwnPorts } from "../../../shared/call/delegate-call.ts";
import { askingFor } from "../../../shared/call/networks.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import type { Variables } from "../../../shared/protocol/request.ts";
import { frozen } from "../support/frozen.ts";
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

const name = { ifName: "eth1", netns: "/run/netns/blue", runtimeIfName: "eth0" };
const sandbox = "/run/netns/blue";

describe("addressesOf", () => {
  const result = {
    cniVersion: "1.0.0",
    interfaces: [{ name: "eth0", sandbox }, { name: "disc0" }, { name: "eth1", sandbox }],
    ips: [
      { address: "172.16.5.2/24", interface: 0 },
      { address: "172.26.64.2/20", interface: 2 },
      { address: "fd00:26::2/64", interface: 2 },
    ],
  };

  test("returns those of the attachment, in order", () => {
    expect(addressesOf(result, name)).toEqual(["172.26.64.2/20", "fd00:26::2/64"]);
  });

  test("returns all of them if the plugin does not report the interface", () => {
    expect(addressesOf({ ips: [{ address: "10.0.0.2/24" }] }, name)).toEqual(["10.0.0.2/24"]);
  });
});

describe("askingFor", () => {
  const ipam = { type: "host-local" };
  const call = (configuration: object) => ({
    delegate: "bridge",
    environment: {},
    configuration: { ...configuration } as Record<string, unknown>,
  });

  test("puts the addresses where host-local reads them, next to existing keys", () => {
    const asking = askingFor(call({ ipam, args: { labels: [], cni: { mac: "m" } } }), ["10.0.0.2/24"], "ETH1_IP=1");
    expect(asking?.configuration).toEqual({
      ipam,
      args: { labels: [], cni: { mac: "m", ips: ["10.0.0.2/24"] } },
    });
  });

  test.each([
    ["there are none", call({ ipam }), [], ""],
    ["the IPAM plugin does not choose", call({ ipam: { type: "static" } }), ["10.0.0.2/24"], ""],
    ["the runtime asks by CNI_ARGS", call({ ipam }), ["10.0.0.2/24"], "A=1;IP=10.0.0.9"],
    ["the operator asks", call({ ipam, args: { cni: { ips: ["10.0.0.9"] } } }), ["10.0.0.2/24"], ""],
    ["the runtime asks by its capability", call({ ipam, runtimeConfig: { ips: ["10.0.0.9"] } }), ["10.0.0.2/24"], ""],
  ])("asks for nothing if %s", (_, one, addresses, args) => {
    expect(askingFor(one, addresses, args)).toBeUndefined();
  });
});

const mapping = (containerPort: number) => ({ hostPort: containerPort + 20_000, containerPort, protocol: "tcp" });
const [web, tls, high] = [mapping(80), mapping(443), mapping(8500)];

function left(ports: object, portMappings: unknown): unknown {
  const { runtimeConfig } = withOwnPorts(frozen({ runtimeConfig: { mac: "x", portMappings } }), ports);
  expect(runtimeConfig).toHaveProperty("mac", "x");
  return (runtimeConfig as JsonObject).portMappings;
}

describe("the port mappings that a delegate gets", () => {
  test.each([
    [{ only: [443] }, [tls]],
    [{ only: ["443", "8000-8999"] }, [tls, high]],
    [{ only: ["81-442"] }, []],
    [{ only: [] }, []],
    [{ except: [443] }, [web, high]],
    [{ except: ["http"] }, [web, tls, high]],
    [{}, [web, tls, high]],
  ])("%j", (ports, expected) => {
    expect(left(ports, [web, tls, high])).toStrictEqual(expected);
  });

  test("are in no list of what is no port", () => {
    const lowest = [mapping(0), mapping(1), mapping(2)];
    expect(left({ only: ["http"] }, lowest)).toStrictEqual([]);
  });

  test.each([[{}], [7], [null], [{ containerPort: "443" }]])("need a port: %j is in no list", (entry) => {
    expect(left({ only: ["1-65535"] }, [entry])).toStrictEqual([]);
    expect(left({ except: ["1-65535"] }, [entry])).toStrictEqual([entry]);
  });

  test.each([{}, { runtimeConfig: { mac: "x" } }])("are not touched in %j", (configuration) => {
    expect(withOwnPorts(frozen(configuration), { only: [443] })).toBe(configuration);
  });
});

test("DEL gets all, because the list may have changed since ADD", () => {
  const request = requestOf("DEL", {
    wrapper: { ports: { only: [443] } },
    runtimeConfig: { portMappings: [web, tls] },
  });
  const { configuration } = delegateCall({ request, target: targetOf(request, "portmap-wrapper", {}) });
  expect(configuration?.runtimeConfig).toStrictEqual({ portMappings: [web, tls] });
});
