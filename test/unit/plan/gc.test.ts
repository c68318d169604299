import { describe, expect, test } from "vitest";
import { gcCall, planGcRemovals } from "../../../shared/plan/gc.ts";
import { targetOf } from "../../../shared/plan/target.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { keptRecords, recordOf } from "../support/records.ts";
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

describe("what belongs to attachments that are no longer valid", () => {
  const gone = recordOf({ ifName: "eth1" });
  const routes = {
    file: "/var/lib/cni/wrappers/zone:blue:eth0::routes",
    owner: gone,
    record: undefined,
    isLive: false,
  };
  const records = keptRecords([gone], { files: [routes] });
  const blue0 = { containerID: "blue", ifname: "eth0" };

  function removed(configuration: JsonObject) {
    const request = requestOf("GC", { wrapper, ...configuration }, { containerId: "", netns: "", ifName: "" });
    return planGcRemovals(request, targetOf(request, "bridge-wrapper", {}), {}, records);
  }

  test("is removed without a namespace, once, with a note", () => {
    expect(removed({ [valid]: [], [former]: [], mtu: 1400 })).toStrictEqual({
      removals: [
        {
          call: {
            delegate: "bridge",
            configuration: { cniVersion: "1.0.0", name: "zone-eth1", type: "bridge", mtu: 1400 },
            environment: {
              CNI_COMMAND: "DEL",
              CNI_CONTAINERID: "blue",
              CNI_NETNS: "",
              CNI_IFNAME: "eth1",
              CNI_ARGS: "",
            },
          },
          again: false,
          forget: ["/var/lib/cni/wrappers/zone:blue:eth0:eth1"],
          notes: ["blue is no longer valid and its namespace is gone: running DEL for eth1"],
        },
      ],
      forget: [routes.file],
    });
  });

  test.each<[string, JsonObject]>([
    ["there is no list", {}],
    ["a list is not one", { [valid]: "all", [former]: null }],
    ["it is valid", { [valid]: [blue0] }],
    ["it is valid by the former name of the list", { [former]: [blue0] }],
    ["it is valid by the list of the specification, which counts", { [valid]: [blue0], [former]: [] }],
  ])("is not touched if %s", (_, configuration) => {
    expect(removed(configuration)).toStrictEqual({ removals: [], forget: [] });
  });
});
