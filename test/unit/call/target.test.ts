import { describe, expect, test } from "vitest";
import { delegateName, targetOf } from "../../../shared/call/call.ts";
import { frozen } from "../support/frozen.ts";
import { requestOf } from "../support/requests.ts";

const bridge = frozen({ role: "creator" } as const);
const portmap = frozen({ role: "meta" } as const);
const profiles = frozen({ bridge, portmap });

test.each([
  ["bridge-wrapper", "bridge"],
  ["/opt/cni/bin/bridge-wrapper", "bridge"],
  ["my-own-wrapper", "my-own"],
  ["bridge-wrapper-wrapper", "bridge-wrapper"],
  ["/opt/bridge-wrapper/bridge", "bridge"],
  ["wrapper", "wrapper"],
  ["-wrapper", "-wrapper"],
])("%s means %s", (calledAs, delegate) => {
  expect(delegateName(calledAs)).toBe(delegate);
});

const noPlugin = ["", "cni-wrappers", "/opt/cni/bin/cni-wrappers", "/opt/bridge-wrapper/"];
test.each(noPlugin)("%j does not stand for a plugin", (calledAs) => {
  expect(delegateName(calledAs)).toBeUndefined();
});

const refused = (message: unknown) => expect.objectContaining({ code: 7, message });

describe("the delegate", () => {
  test.each([
    ["bridge-wrapper", {}, "bridge", bridge, "creator"],
    ["portmap-wrapper", {}, "portmap", portmap, "meta"],
    ["cni-wrappers", { delegate: "bridge" }, "bridge", bridge, "creator"],
    ["portmap-wrapper", { delegate: "bridge" }, "bridge", bridge, "creator"],
    ["ptp-wrapper", {}, "ptp", undefined, undefined],
    ["ptp-wrapper", { role: "creator" }, "ptp", undefined, "creator"],
    ["ptp-wrapper", { role: "meta" }, "ptp", undefined, "meta"],
    ["bridge-wrapper", { role: "creator" }, "bridge", bridge, "creator"],
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
