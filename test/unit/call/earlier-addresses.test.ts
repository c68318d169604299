import { describe, expect, test } from "vitest";
import { addressesOf } from "../../../shared/attachment/attachments.ts";
import { askingFor } from "../../../shared/call/networks.ts";

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
    ["there is no IPAM plugin", call({}), ["10.0.0.2/24"], ""],
    ["the runtime asks by CNI_ARGS", call({ ipam }), ["10.0.0.2/24"], "A=1;IP=10.0.0.9"],
    ["the operator asks", call({ ipam, args: { cni: { ips: ["10.0.0.9"] } } }), ["10.0.0.2/24"], ""],
    ["the runtime asks by its capability", call({ ipam, runtimeConfig: { ips: ["10.0.0.9"] } }), ["10.0.0.2/24"], ""],
  ])("asks for nothing if %s", (_, one, addresses, args) => {
    expect(askingFor(one, addresses, args)).toBeUndefined();
  });
});
