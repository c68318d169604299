import { describe, expect, test } from "vitest";
import { delegateName, targetOf } from "../../../shared/call/call.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { callWrapper, exits, messagesOf, printed } from "../support/fake-host.ts";
import { frozen } from "../support/frozen.ts";
import { requestOf } from "../support/requests.ts";
import { macvlanResult } from "../support/results.ts";

const zone = { cniVersion: "1.0.0", name: "zone" };

function callWith(command: string, stdin: JsonObject, calledAs = "bridge-wrapper") {
  const env = { CNI_COMMAND: command, CNI_WRAPPERS_LOG: "/log", CNI_WRAPPERS_LOG_LEVEL: "warn" };
  const machine = { answers: [exits(0, macvlanResult)], links: [7] };
  const outcome = callWrapper({ calledAs: `/opt/cni/bin/${calledAs}`, stdin: { ...zone, ...stdin }, env }, machine);
  return { ...outcome, warnings: messagesOf(outcome) };
}

describe("a prevResult that cannot be right", () => {
  test.each([
    ["ADD", { interfaces: [null] }],
    ["CHECK", { interfaces: [null] }],
    ["ADD", { ips: [{ address: "10.1.0.2/24", interface: -1 }] }],
    ["CHECK", { ips: [{ address: "10.1.0.2/24", interface: 0.5 }] }],
  ])("fails %s: %j", (command, prevResult) => {
    const outcome = callWith(command, { prevResult });
    expect(printed(outcome)).toMatchObject({ code: 7 });
    expect(outcome.runs).toEqual([]);
  });

  test("passes CHECK with the interface -1, which an ADD alone in its list may have returned: it means none", () => {
    const ips = [{ address: "10.1.0.2/24", interface: -1 }];
    const outcome = callWith("CHECK", { prevResult: { ...macvlanResult, ips } });
    expect(outcome.runs.map(({ stdin }) => stdin)).toMatchObject([{ prevResult: { ips: [{ interface: null }] } }]);
    expect(outcome.exitCode).toBe(0);
  });

  test("is left out of DEL, with a warning: an attachment must always be removable", () => {
    const outcome = callWith("DEL", { prevResult: { interfaces: [null] } });
    expect(outcome).toMatchObject({ exitCode: 0, runs: [{}] });
    expect(outcome.runs[0]?.stdin).not.toHaveProperty("prevResult");
    expect(outcome.warnings).toEqual([expect.stringContaining("prevResult")]);
  });
});

test.each(["GC", "STATUS"])("%s passes a prevResult on that cannot be right", (command) => {
  const prevResult = { interfaces: [null] };
  expect(callWith(command, { cniVersion: "1.1.0", prevResult })).toMatchObject({
    exitCode: 0,
    runs: [{ stdin: { prevResult } }],
  });
});

test.each(["GC", "STATUS"])("%s reads no journal by its own name: it is for no attachment", (command) => {
  const { asked } = callWith(command, { cniVersion: "1.1.0", "cni.dev/valid-attachments": [] });
  expect(asked.filter((path) => path.includes("zone:"))).toEqual([]);
});

const bridge = frozen({ role: "creator" } as const);
const portmap = frozen({ role: "meta" } as const);
const profiles = frozen({ bridge, portmap });

test.each([
  ["bridge-wrapper", "bridge"],
  ["bridge-wrapper-wrapper", "bridge-wrapper"],
  ["/opt/bridge-wrapper/bridge", "bridge"],
  ["-wrapper", "-wrapper"],
  ...["", "cni-wrappers", "/opt/cni/bin/cni-wrappers", "/opt/bridge-wrapper/"].map((name) => [name, undefined]),
])("%j means %s", (calledAs = "", delegate) => {
  expect(delegateName(calledAs)).toBe(delegate);
});

const refused = (message: unknown) => expect.objectContaining({ code: 7, message });

describe("the delegate", () => {
  test.each([
    ["bridge-wrapper", {}, "bridge", bridge, "creator"],
    ["cni-wrappers", { delegate: "bridge" }, "bridge", bridge, "creator"],
    ["portmap-wrapper", { delegate: "bridge" }, "bridge", bridge, "creator"],
    ["ptp-wrapper", {}, "ptp", undefined, undefined],
    ["ptp-wrapper", { role: "creator" }, "ptp", undefined, "creator"],
    // A property of Object is not a profile.
    ["toString-wrapper", {}, "toString", undefined, undefined],
  ])("%s with %j", (calledAs, wrapper, delegate, profile, role) => {
    expect(targetOf(requestOf("ADD", { wrapper }), calledAs, profiles)).toMatchObject({ delegate, profile, role });
  });

  test.each(["ADD", "CHECK", "GC"] as const)("%s: a role that is not the plugin's", (command) => {
    const request = requestOf(command, { wrapper: { role: "meta" } });
    const message = 'invalid plugin configuration: wrapper.role must be "creator" for bridge, or be left out';
    expect(() => targetOf(request, "bridge-wrapper", profiles)).toThrow(refused(message));
  });
});

test("a network's name allows fewer characters than an interface's", () => {
  const request = requestOf("ADD", { wrapper: { ifName: "eth@1" } });
  const message = /the network of interface eth@1 would be "zone-eth@1", which .*; set wrapper.network$/;
  expect(() => targetOf(request, "bridge-wrapper", profiles)).toThrow(refused(expect.stringMatching(message)));
  const named = requestOf("ADD", { wrapper: { ifName: "eth@1", network: "disc" } });
  const target = { network: "disc", selector: { ifName: "eth@1" } };
  expect(targetOf(named, "bridge-wrapper", profiles)).toMatchObject(target);
});

test("a network's name is that of a directory with leases: host-local could not make it, so each DEL would fail", () => {
  const named = (length: number, command: "ADD" | "DEL" = "ADD") =>
    targetOf(requestOf(command, { name: "z".repeat(length), wrapper: { ifName: "eth1" } }), "bridge-wrapper", profiles);
  expect(named(250).network).toBe(`${"z".repeat(250)}-eth1`);
  const message =
    /the network of interface eth1 would be "z{251}-eth1", which has more than 255 bytes; set wrapper.network$/;
  expect(() => named(251)).toThrow(refused(expect.stringMatching(message)));
  expect(named(251, "DEL").network).toBe("z".repeat(251));
});

test.each([
  ["eth0", false],
  ["net0", true],
])("GC, which has no CNI_IFNAME: all attachments name the runtime's interface, %s", (ifname, renamed) => {
  const attachments = ["a", "b"].map((containerID) => ({ containerID, ifname }));
  const configuration = { wrapper: { ifName: "eth0" }, "cni.dev/valid-attachments": attachments };
  const target = targetOf(requestOf("GC", configuration, { ifName: "" }), "bridge-wrapper", profiles);
  expect(target).toMatchObject({ selector: { runtimeIfName: ifname }, renamed, network: "zone-eth0" });
});

// If STATUS fails, Nomad skips DEL and leaks. If DEL fails, everything stays.
test.each(["STATUS", "DEL"] as const)("%s adds no failure of its own", (command) => {
  for (const wrapper of [{ role: "meta" }, { ifName: "eth@1" }]) {
    const request = requestOf(command, { wrapper }, { ifName: command === "DEL" ? "eth0" : "" });
    expect(targetOf(request, "bridge-wrapper", profiles)).toMatchObject({ role: "creator", network: "zone" });
  }
});
