import { describe, expect, test } from "vitest";
import { gcCall } from "../../../shared/plan/gc.ts";
import { targetOf } from "../../../shared/plan/target.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { requestOf } from "../support/requests.ts";

const valid = "cni.dev/valid-attachments";
const former = "cni.dev/attachments";

function planned(configuration: JsonObject): JsonObject | undefined {
  const request = requestOf("GC", configuration, { containerId: "", netns: "", ifName: "" });
  return gcCall(request, targetOf(request, "bridge-wrapper", {})).configuration;
}

const wrapper = { ifName: "eth1" };
const [a0, a1] = [
  { containerID: "a", ifname: "eth0" },
  { containerID: "a", ifname: "eth1" },
];
const [b0, b1] = [
  { containerID: "b", ifname: "eth0" },
  { containerID: "b", ifname: "eth1" },
];

describe.each([valid, former])("%s", (key) => {
  test.each([
    ["none", [], []],
    ["one for each container", [a0, b0], [a0, b0, a1, b1]],
    ["once for a container with several", [a0, { ...a0, ifname: "net0" }], [a0, { ...a0, ifname: "net0" }, a1]],
    ["not where it is", [a1, b0], [a1, b0, b1]],
    [
      "what is no attachment stays",
      [a0, "x", null, { containerID: "a", more: 1 }],
      [a0, "x", null, { containerID: "a", more: 1 }, a1],
    ],
  ])("the wrapper's interface is added: %s", (_, listed, expected) => {
    expect(planned({ wrapper, [key]: listed })?.[key]).toStrictEqual(expected);
  });

  test.each([[undefined], [null], ["all"]])("%j does not become a list", (value) => {
    expect(planned({ wrapper, [key]: value })?.[key]).toBe(value);
  });

  test("the runtime's own interface is already listed", () => {
    expect(planned({ [key]: [a0, b0] })?.[key]).toStrictEqual([a0, b0]);
    expect(planned({ [key]: [a0, { ...b0, ifname: "net0" }] })?.[key]).toStrictEqual([a0, { ...b0, ifname: "net0" }]);
  });
});

test("both lists, in the network of the interface", () => {
  expect(planned({ wrapper, [valid]: [a0], [former]: [b0] })).toStrictEqual({
    cniVersion: "1.0.0",
    name: "zone-eth1",
    type: "bridge",
    [valid]: [a0, a1],
    [former]: [b0, b1],
  });
});
