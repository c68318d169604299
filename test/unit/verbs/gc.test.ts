import { describe, expect, test } from "vitest";
import { profiles } from "../../../plugins/index.ts";
import { gcCall, planGcRemovals } from "../../../shared/plan/gc.ts";
import { targetOf } from "../../../shared/call/target.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import {
  type AttachmentRecord,
  type Holding,
  type KeptFile,
  metaRecordFile,
  recordFile,
} from "../../../shared/record/record.ts";
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

  test("leaves leases that another live attachment of the container has", () => {
    const live = recordOf({ ifName: "eth1", runtimeIfName: "net1" });
    const request = requestOf("GC", { wrapper, [valid]: [] }, { containerId: "", netns: "", ifName: "" });
    const kept = keptRecords([gone, live], { live: [live] });
    const { removals } = planGcRemovals(request, targetOf(request, "bridge-wrapper", {}), {}, kept);
    expect(removals).toMatchObject([{ call: undefined, forget: ["/var/lib/cni/wrappers/zone:blue:eth0:eth1"] }]);
  });

  test.each([
    ["of a valid attachment of the container, even before its ADD after a reboot", {}, undefined],
    ["but not those of another container", { containerId: "red" }, "DEL"],
    ["but not those of another interface", { ifName: "eth2" }, "DEL"],
    ["but not those of another network", { delegateNetwork: "disc" }, "DEL"],
    ["but not those of other names that are equal in a row", { containerId: "blueeth", ifName: "1" }, "DEL"],
  ])("leaves leases %s", (_, changes, verb) => {
    const other = recordOf({ ifName: "eth1", runtimeIfName: "net1", delegateNetwork: "zone-eth1", ...changes });
    const list = [{ containerID: other.containerId, ifname: "net1" }];
    const request = requestOf("GC", { wrapper, [valid]: list }, { containerId: "", netns: "", ifName: "" });
    const kept = keptRecords([gone, other]);
    const [first] = planGcRemovals(request, targetOf(request, "bridge-wrapper", {}), {}, kept).removals;
    expect(first?.call?.environment.CNI_COMMAND).toBe(verb);
  });

  test("do not leave leases to an attachment of which only a chained plugin has a record", () => {
    const record = recordOf({ ifName: "eth1", runtimeIfName: "net1", delegate: "portmap" });
    const file = metaRecordFile(record, "portmap-1");
    const request = requestOf("GC", { wrapper, [valid]: [] }, { containerId: "", netns: "", ifName: "" });
    const kept = keptRecords([gone], { files: [{ file, owner: record, record, isLive: true }] });
    const [first] = planGcRemovals(request, targetOf(request, "bridge-wrapper", {}), {}, kept).removals;
    expect(first?.call?.environment.CNI_COMMAND).toBe("DEL");
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

describe("what a chained plugin made for attachments that are no longer valid", () => {
  // The configuration of its ADD. The list has changed since.
  const configuration = {
    cniVersion: "1.0.0",
    name: "zone-eth1",
    type: "portmap",
    snat: true,
    runtimeConfig: { portMappings: [] },
  };
  const gone = recordOf({ ifName: "eth1", delegate: "portmap", configuration });
  const file = metaRecordFile(gone, "portmap-1");
  const kept: KeptFile = { file, owner: gone, record: gone, isLive: false };

  function removed(
    files: readonly KeptFile[],
    attachments: readonly object[] = [],
    calledAs = "portmap-wrapper",
    holdings: readonly Holding[] = [],
    jq?: string,
  ) {
    const stdin = { wrapper: { ...wrapper, ...(jq && { jq }) }, snat: false, [valid]: attachments };
    const request = requestOf("GC", stdin, { containerId: "", netns: "", ifName: "" });
    return planGcRemovals(
      request,
      targetOf(request, calledAs, profiles),
      profiles,
      keptRecords([], { files, holdings }),
    );
  }

  test("is removed by DEL with the configuration of its ADD", () => {
    const environment = {
      CNI_COMMAND: "DEL",
      CNI_CONTAINERID: "blue",
      CNI_NETNS: "",
      CNI_IFNAME: "eth1",
      CNI_ARGS: "",
    };
    const notes = ["blue is no longer valid and its namespace is gone: running DEL for eth1"];
    const call = { delegate: "portmap", configuration, environment };
    expect(removed([kept])).toStrictEqual({ removals: [{ call, again: false, forget: [file], notes }], forget: [] });
  });

  test("DEL finds the interfaces that ADD added in prevResult", () => {
    const tap = { name: "tap0", sandbox: "/run/netns/blue" };
    const prevResult = { cniVersion: "1.0.0", interfaces: [] };
    const record = { ...gone, configuration: { ...configuration, prevResult }, added: [tap] };
    const [removal] = removed([{ ...kept, record }]).removals;
    expect(removal?.call?.configuration?.prevResult).toStrictEqual({ cniVersion: "1.0.0", interfaces: [tap] });
  });

  test("DEL gets the addresses of earlier ADDs, too, unless another container has them", () => {
    const prevResult = { cniVersion: "1.0.0", ips: [{ address: "172.26.64.2/20" }] };
    const addresses = ["172.26.64.2/20", "172.26.64.3/20", "172.26.64.4/20"];
    const record = { ...gone, addresses, configuration: { ...configuration, prevResult } };
    const holdings = [{ containerId: "red", addresses: ["172.26.64.4/20"] }];
    const shown = (present: JsonObject) => {
      const { removals } = removed(
        [{ ...kept, record: { ...record, configuration: present } }],
        [],
        "portmap-wrapper",
        holdings,
      );
      return removals.map(({ call }) => call?.configuration);
    };
    const ips = [{ address: "172.26.64.2/20" }, { address: "172.26.64.3/20" }];
    expect(shown({ ...configuration, prevResult })).toStrictEqual([
      { ...configuration, prevResult: { ...prevResult, ips } },
    ]);
    expect(shown({ prevResult: { cniVersion: "1.0.0" } })).toMatchObject([{ prevResult: { ips } }]);
    expect(shown(configuration)).toStrictEqual([configuration]);
  });

  test("DEL does not get an address that another container has: firewall's rules name only the address", () => {
    const ips = [{ address: "172.26.64.2/20" }, { address: "172.26.64.3/20" }, { address: "172.26.64.4/20" }];
    const prevResult = { cniVersion: "1.0.0", interfaces: [], ips };
    const record = { ...gone, configuration: { ...configuration, prevResult } };
    const other = recordOf({ containerId: "red", ifName: "eth1", addresses: ["172.26.64.3/16"] });
    const alsoGone = { ...record, containerId: "green" };
    const files = [
      { ...kept, record },
      { file: metaRecordFile(alsoGone, "portmap-1"), owner: alsoGone, record: alsoGone, isLive: false },
      { file: recordFile(other), owner: other, record: other, isLive: true },
    ];
    const holdings = [{ containerId: "orange", addresses: ["172.26.64.4/20"] }];
    const { removals } = removed(files, [], "portmap-wrapper", holdings);
    expect(removals.map(({ call }) => call?.configuration?.prevResult)).toStrictEqual([
      { ...prevResult, ips: ips.slice(0, 1) },
      { ...prevResult, ips: ips.slice(0, 1) },
    ]);
  });

  test("DEL of a single attachment does not get such an address, but all that is no address", () => {
    const strange = [null, "172.26.64.3/20", {}, { address: 7 }];
    const prevResult = { cniVersion: "1.0.0", ips: [{ address: "172.26.64.3/20" }, ...strange] };
    const record = { ...gone, configuration: { ...configuration, prevResult } };
    const holdings = [{ containerId: "red", addresses: ["172.26.64.3/20"] }];
    const { removals } = removed([{ ...kept, record }], [], "portmap-wrapper", holdings);
    expect(removals.map(({ call }) => call?.configuration?.prevResult)).toStrictEqual([
      { cniVersion: "1.0.0", ips: strange },
    ]);
  });

  test("the addresses of other containers are not read if nothing is removed", () => {
    const request = requestOf("GC", { wrapper, [valid]: [] }, { containerId: "", netns: "", ifName: "" });
    const records = {
      ...keptRecords(),
      holdings: () => {
        throw new Error("they were read");
      },
    };
    const target = targetOf(request, "portmap-wrapper", profiles);
    expect(planGcRemovals(request, target, profiles, records)).toEqual({ removals: [], forget: [] });
  });

  test("a plugin without a profile is removed, too", () => {
    const record = { ...gone, delegate: "own" };
    const { removals, forget } = removed([{ ...kept, record }], [], "own-wrapper");
    expect(removals).toMatchObject([{ call: { delegate: "own" }, forget: [file] }]);
    expect(forget).toEqual([]);
  });

  test.each([{ containerID: "7", ifname: 0 }, { containerID: 7, ifname: "0" }, { containerID: "7" }, { ifname: "0" }])(
    "an attachment without two names is not valid: %j",
    (attachment) => {
      const record = { ...gone, containerId: "7", runtimeIfName: "0" };
      expect(removed([{ ...kept, owner: record, record }], [attachment]).removals).toHaveLength(1);
    },
  );

  test("wrapper.jq does not change the configuration a second time", () => {
    const [removal] = removed([kept], [], "portmap-wrapper", [], ".snat = false").removals;
    expect(removal?.call).not.toHaveProperty("filter");
    expect(removal?.call?.configuration).toStrictEqual(configuration);
  });

  const net1 = recordOf({ runtimeIfName: "net1", ifName: "eth1" });

  test.each<[string, readonly KeptFile[], readonly object[], string?]>([
    ["it is valid", [kept], [{ containerID: "blue", ifname: "eth0" }]],
    ["the namespace exists", [{ ...kept, isLive: true }], []],
    [
      "another attachment of the container is valid: they can share rules",
      [kept],
      [{ containerID: "blue", ifname: "net1" }],
    ],
    [
      "the namespace of another attachment of the container exists",
      [kept, { file: recordFile(net1), owner: net1, record: net1, isLive: true }],
      [],
    ],
    ["another plugin's GC runs", [kept], [], "firewall-wrapper"],
    ["a creator's GC runs", [kept], [], "bridge-wrapper"],
  ])("is not touched if %s", (_, files, attachments, calledAs) => {
    expect(removed(files, attachments, calledAs)).toStrictEqual({ removals: [], forget: [] });
  });

  test.each<[string, AttachmentRecord]>([
    ["without a configuration, as earlier versions wrote it", { ...gone, configuration: undefined }],
    ["of a plugin that only changes the namespace", { ...gone, delegate: "sbr" }],
  ])("a record %s is only deleted", (_, record) => {
    expect(removed([{ ...kept, record }])).toStrictEqual({ removals: [], forget: [file] });
  });
});
