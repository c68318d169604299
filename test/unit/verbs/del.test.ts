import { describe, expect, test } from "vitest";
import { delRemovals, planDel } from "../../../shared/plan/del.ts";
import type { DelInput } from "../../../shared/plan/del-call.ts";
import { listedAs } from "../../../shared/plan/listed.ts";
import { targetOf } from "../../../shared/call/target.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { type Records, recordFile } from "../../../shared/record/record.ts";
import { frozen } from "../support/frozen.ts";
import { keptRecords, noRecords, recordOf } from "../support/records.ts";
import { requestOf } from "../support/requests.ts";
import { bothResult, bridgeResult } from "../support/results.ts";

const profiles = frozen({
  bridge: { role: "creator" },
  macvlan: { role: "creator" },
  portmap: { role: "meta" },
} as const);

function planned(wrapper: JsonObject, input: DelInput = {}, { calledAs = "bridge-wrapper", records = noRecords } = {}) {
  const request = requestOf("DEL", { wrapper, ...(input.prevResult && { prevResult: input.prevResult }) });
  return delRemovals(request, targetOf(request, calledAs, profiles), profiles, records, frozen(input));
}

/** The planned DELs: the delegate, its interface and network, and the interfaces of the removed records. */
function runs(removals: ReturnType<typeof planned>) {
  return removals.map(({ call, forget }) => [
    call?.delegate,
    call?.environment.CNI_IFNAME ?? "eth0",
    call?.configuration?.name,
    forget.map((file) => file.slice(file.lastIndexOf(":") + 1)).join(),
  ]);
}

describe("the delegate's prevResult", () => {
  const disc = { ifName: "eth1", network: "disc" };

  test("has only its own attachment", () => {
    const [only] = planned(disc, { prevResult: bothResult });
    expect(only?.call?.environment).toStrictEqual({ CNI_IFNAME: "eth1" });
    expect(only?.call?.configuration?.prevResult).toStrictEqual({ ...bridgeResult, dns: bothResult.dns });
    expect(only?.notes).toEqual([]);
  });

  test.each([
    ["a creator gets none", "bridge-wrapper", {}],
    ["so does a plugin of unknown role", "ptp-wrapper", {}],
  ])("if the attachment is missing among others: %s", (_, calledAs, wrapper) => {
    const [only] = planned({ ...disc, ifName: "eth2", ...wrapper }, { prevResult: bothResult }, { calledAs });
    expect(only?.call?.configuration).not.toHaveProperty("prevResult");
    expect(only?.notes).toEqual(["interface eth2 is not in prevResult: the delegate gets no prevResult"]);
  });

  test("if the attachment is missing among others: a meta plugin gets it unchanged", () => {
    const [only] = planned({ ifName: "eth2" }, { prevResult: bothResult }, { calledAs: "portmap-wrapper" });
    expect(only?.call?.configuration?.prevResult).toStrictEqual(bothResult);
    expect(only?.notes).toEqual(["interface eth2 is not in prevResult: the delegate gets all of it"]);
  });

  test.each([[{}], [{ interfaces: [{ name: "veth0" }] }]])(
    "unchanged without any container interface: %j",
    (prevResult) => {
      const [only] = planned({}, { prevResult });
      expect(only?.call?.configuration?.prevResult).toStrictEqual(prevResult);
      expect(only?.notes).toEqual([]);
    },
  );

  test("an unreadable one does not stop DEL, and the reason is noted", () => {
    const [only] = planned({}, { problem: "invalid prevResult" });
    expect(only?.call?.configuration).not.toHaveProperty("prevResult");
    expect(only?.notes).toEqual(["invalid prevResult: the delegate gets no prevResult"]);
  });
});

describe("a prevResult of the wrong shape", () => {
  const whole = (prevResult: JsonObject) => {
    const request = requestOf("DEL", { prevResult });
    return planDel(request, targetOf(request, "bridge-wrapper", profiles), profiles, noRecords);
  };

  test("does not stop DEL: the delegate gets none, and the log says why", () => {
    const plan = whole({ interfaces: "eth0" });
    expect(plan).toMatchObject({ do: "handOver", call: { delegate: "bridge" } });
    expect(plan).not.toHaveProperty("call.configuration.prevResult");
    expect(plan).toHaveProperty("effects", [
      {
        do: "warn",
        message: expect.stringMatching(/^invalid prevResult: .*interfaces.*: the delegate gets no prevResult$/),
      },
    ]);
  });
});

describe("a creator's DEL follows the record", () => {
  const [eth0, eth1] = [recordOf({ delegate: "macvlan" }), recordOf({ ifName: "eth1" })];
  const del = (wrapper: JsonObject, ...records: Parameters<typeof keptRecords>[0] & object) =>
    planned(wrapper, {}, { records: keptRecords(records) });

  test("and deletes it", () => {
    expect(runs(del({ ifName: "eth1" }, eth0, eth1))).toEqual([["bridge", "eth1", "zone-eth1", "eth1"]]);
    expect(del({ ifName: "eth1" }, eth1)).toMatchObject([{ forget: [recordFile(eth1)], notes: [] }]);
  });

  test("and leaves the record of another interface that the same plugin made", () => {
    const eth3 = recordOf({ ifName: "eth3" });
    expect(runs(del({ ifName: "eth1" }, eth1, eth3))).toEqual([["bridge", "eth1", "zone-eth1", "eth1"]]);
    const edited = recordOf({ ifName: "eth1", listed: "edited" });
    expect(runs(del({ ifName: "eth1" }, edited, eth3))).toEqual([["bridge", "eth1", "zone-eth1", "eth1"]]);
  });

  test("and removes what the same plugin made in an earlier try, under a name that the result does not have", () => {
    const earlier = recordOf({ ifName: "net9" });
    const own = ["bridge", "eth1", "zone-eth1", "eth1"];
    const removals = planned({ ifName: "eth1" }, { prevResult: bothResult }, { records: keptRecords([eth1, earlier]) });
    expect(runs(removals)).toEqual([own, ["bridge", "net9", "zone-net9", "net9"]]);
    const withoutOwn = { ...bothResult, interfaces: bothResult.interfaces.slice(0, 1), ips: [] };
    expect(runs(planned({ ifName: "eth1" }, { prevResult: withoutOwn }, { records: keptRecords([eth1]) }))).toEqual([
      own,
    ]);
    const interfaces = [...bothResult.interfaces, { name: "net9", sandbox: "/run/netns/blue" }];
    const listed = { ...bothResult, interfaces };
    expect(
      runs(planned({ ifName: "eth1" }, { prevResult: listed }, { records: keptRecords([eth1, earlier]) })),
    ).toEqual([own]);
  });

  test("and notes why it gets no prevResult", () => {
    const note = "invalid prevResult: the delegate gets no prevResult";
    const notes = (...records: Parameters<typeof keptRecords>[0] & object) =>
      planned({ ifName: "eth1" }, { problem: "invalid prevResult" }, { records: keptRecords(records) })[0]?.notes;
    expect(notes(eth1)).toEqual([note]);
    expect(notes(recordOf({ ifName: "eth3" }))).toEqual([
      "the record says that bridge made eth3, the list does not: DEL follows the record",
      note,
    ]);
  });

  test("in the network of ADD, even if the list has changed", () => {
    const disc = recordOf({ ifName: "eth1", delegateNetwork: "disc" });
    expect(runs(del({ ifName: "eth1", network: "other" }, disc))).toEqual([["bridge", "eth1", "disc", "eth1"]]);
  });

  test("if the list's ifName has changed: removes what the same delegate made", () => {
    const removals = del({ ifName: "eth2" }, eth0, eth1);
    expect(runs(removals)).toEqual([["bridge", "eth1", "zone-eth1", "eth1"]]);
    expect(removals[0]?.notes).toEqual([
      "the record says that bridge made eth1, the list does not: DEL follows the record",
    ]);
    expect(runs(del({}, eth0, eth1))).toEqual([["bridge", "eth1", "zone-eth1", "eth1"]]);
  });

  test("if ifName has changed: leaves what another plugin of the type made to that plugin's DEL", () => {
    const listed = listedAs(requestOf("ADD", { wrapper: { ifName: "eth3" } }));
    const list = [recordOf({ ifName: "eth1", listed: "other" }), recordOf({ ifName: "eth3", listed })];
    expect(runs(del({ ifName: "eth2" }, ...list)).map(([, ifName]) => ifName)).toEqual(["eth3"]);
    const another = recordOf({ ifName: "eth1", listed: listedAs(requestOf("ADD", { ipam: { type: "dhcp" } })) });
    expect(runs(del({ ifName: "eth2" }, another)).map(([, ifName]) => ifName)).toEqual(["eth2", "eth2"]);
  });

  test("if ifName has changed: leaves what a plugin of another type made", () => {
    const another = recordOf({ ifName: "eth1", delegate: "macvlan" });
    expect(runs(del({ ifName: "eth2" }, another)).map(([delegate, ifName]) => [delegate, ifName])).toEqual([
      ["bridge", "eth2"],
      ["bridge", "eth2"],
    ]);
  });

  test("if it is unknown which plugin made them: all, except for the runtime's own interface", () => {
    const list = [recordOf(), eth1, recordOf({ ifName: "eth3" })];
    expect(runs(del({ ifName: "eth2" }, ...list)).map(([, ifName]) => ifName)).toEqual(["eth1", "eth3"]);
  });

  test("if the list has no usable ifName", () => {
    expect(runs(del({ ifName: "much-too-long-a-name" }, recordOf(), eth1))).toEqual([
      ["bridge", "eth1", "zone-eth1", "eth1"],
    ]);
    expect(runs(del({ ifName: "much-too-long-a-name" }, recordOf()))).toEqual([["bridge", "eth0", "zone", ""]]);
  });

  test("if the list names another delegate: runs the one that made it", () => {
    const made = [["bridge", "eth1", "zone-eth1", "eth1"]];
    const follows = del({ ifName: "eth1", delegate: "macvlan" }, eth1);
    expect(runs(follows)).toEqual(made);
    expect(follows[0]?.notes).toEqual([
      "the record says that bridge made eth1, the list does not: DEL follows the record",
    ]);
    const [removal] = del({ ifName: "eth1", delegate: "brigde" }, eth1);
    expect(runs(removal?.otherwise ? [removal.otherwise] : [])).toEqual(made);
  });

  test("if the list names a plugin of unknown role: only if that plugin is missing, because it may be a meta plugin", () => {
    const removals = planned({ ifName: "eth1" }, {}, { calledAs: "unknown-wrapper", records: keptRecords([eth1]) });
    expect(runs(removals)).toEqual([["unknown", "eth1", "zone-eth1", ""]]);
  });

  test("if a plugin of unknown role made the interface", () => {
    const records = keptRecords([recordOf({ delegate: "unknown", ifName: "eth1" })]);
    const removals = planned({ ifName: "eth1" }, {}, { calledAs: "unknown-wrapper", records });
    expect(runs(removals)).toEqual([["unknown", "eth1", "zone-eth1", "eth1"]]);
    expect(removals[0]).not.toHaveProperty("otherwise");
  });

  test("but not the record of another container or attachment", () => {
    const others = [
      recordOf({ containerId: "red", ifName: "eth1" }),
      recordOf({ runtimeIfName: "net1", ifName: "eth1" }),
    ];
    expect(runs(del({ ifName: "eth2", network: "disc" }, ...others))).toEqual([["bridge", "eth2", "disc", ""]]);
  });
});

describe("without a record", () => {
  test("something else may have made a renamed interface: DEL runs in both networks", () => {
    const removals = planned({ ifName: "eth1" }, { prevResult: bothResult });
    expect(runs(removals)).toEqual([
      ["bridge", "eth1", "zone", ""],
      ["bridge", "eth1", "zone-eth1", ""],
    ]);
    // The first DEL removed the interface. The DEL of some plugins fails without it.
    expect(removals.map(({ call }) => call?.environment.CNI_NETNS)).toEqual([undefined, ""]);
  });

  describe("nothing of another attachment is touched", () => {
    const prevResult = bothResult;
    const calls = (removals: ReturnType<typeof planned>) =>
      removals.map(({ call }) => call && (call.environment.CNI_NETNS ?? "the namespace"));

    test("but an unreadable record is a sign of an ADD", () => {
      const owner = { network: "zone", containerId: "blue", runtimeIfName: "eth0" };
      const file = { file: recordFile({ ...owner, ifName: "eth1" }), owner, record: undefined, isLive: false };
      expect(calls(planned({ ifName: "eth1" }, {}, { records: keptRecords([], { files: [file] }) }))).toEqual([
        "the namespace",
        "",
      ]);
    });

    test("but a prevResult that cannot be read is a sign of an ADD", () => {
      expect(calls(planned({ ifName: "eth1" }, { problem: "invalid" }))).toEqual(["the namespace", ""]);
    });

    test("but the file of a meta plugin's ADD is a sign of it", () => {
      const owner = { network: "zone", containerId: "blue", runtimeIfName: "eth0" };
      const file = `${recordFile({ ...owner, ifName: "eth1" })}:limiter-1`;
      const records = keptRecords([], {
        files: [{ file, owner, record: undefined, isLive: false }],
        claimed: ["eth1"],
      });
      const wrapper = { ifName: "eth1", role: "meta", delegate: "limiter" };
      expect(calls(planned(wrapper, { prevResult }, { records }))).toEqual(["the namespace"]);
    });

    test("if the runtime has no result: ADD never completed", () => {
      expect(calls(planned({ ifName: "eth1" }))).toEqual(["", ""]);
      expect(calls(planned({ ifName: "eth1" }, { prevResult }))).toEqual(["the namespace", ""]);
    });

    test("but with a lease of this container the result was lost: the interface is this attachment's", () => {
      const ipam = { type: "host-local" };
      const request = requestOf("DEL", { wrapper: { ifName: "eth1" }, ipam });
      const lease = { address: "172.26.64.2", containerId: "blue", ifName: "eth1" };
      for (const network of ["zone", "zone-eth1"]) {
        const records = keptRecords([], { leases: { [`/var/lib/cni/networks/${network}`]: [lease] } });
        const removals = delRemovals(request, targetOf(request, "bridge-wrapper", profiles), profiles, records, {});
        expect(calls(removals)).toEqual(["the namespace", ""]);
        const others = { [`/var/lib/cni/networks/${network}`]: [{ ...lease, ifName: "eth2" }] };
        const none = keptRecords([], { leases: others });
        const target = targetOf(request, "bridge-wrapper", profiles);
        expect(calls(delRemovals(request, target, profiles, none, {}))).toEqual(["", ""]);
      }
    });

    test("if another attachment of the container has an interface of that name", () => {
      const records = keptRecords([], { claimed: ["eth1"] });
      expect(calls(planned({ ifName: "eth1" }, { prevResult }, { records }))).toEqual(["", ""]);
      const own = keptRecords([recordOf({ ifName: "eth1" })], { claimed: ["eth1"] });
      expect(calls(planned({ ifName: "eth1" }, { prevResult }, { records: own }))).toEqual([""]);
    });

    test("if another attachment has the leases, DEL does not run", () => {
      const other = recordOf({ ifName: "eth1", runtimeIfName: "net1" });
      expect(calls(planned({ ifName: "eth1" }, {}, { records: keptRecords([other]) }))).toEqual(["", undefined]);
    });

    test("by a meta plugin without a record", () => {
      const records = keptRecords([], { claimed: ["eth1"] });
      expect(
        calls(planned({ ifName: "eth1", role: "meta", delegate: "limiter" }, { prevResult }, { records })),
      ).toEqual([""]);
      expect(calls(planned({ role: "meta", delegate: "limiter" }, { prevResult }, { records }))).toEqual([
        "the namespace",
      ]);
    });
  });

  test("if its lease is in its own network, the record was lost: that network comes first", () => {
    const ipam = { type: "host-local" };
    const request = requestOf("DEL", { wrapper: { ifName: "eth1" }, ipam });
    const leased = (network: string, containerId: string) => ({
      [`/var/lib/cni/networks/${network}`]: [{ address: "172.26.64.2", containerId, ifName: "eth1" }],
    });
    const networks = (network: string, containerId: string) => {
      const records = keptRecords([], { leases: leased(network, containerId) });
      const removals = delRemovals(request, targetOf(request, "bridge-wrapper", profiles), profiles, records, {});
      return removals.map(({ call }) => call?.configuration?.name);
    };
    expect(networks("zone-eth1", "blue")).toEqual(["zone-eth1", "zone"]);
    expect(networks("zone-eth1", "red")).toEqual(["zone", "zone-eth1"]);
    expect(networks("zone", "blue")).toEqual(["zone", "zone-eth1"]);
    const records = keptRecords([], { leases: leased("zone-eth1", "blue") });
    const plan = planDel(request, targetOf(request, "bridge-wrapper", profiles), profiles, records);
    const names = ["zone-eth1", "zone"].map((name) => ({ call: { configuration: { name } } }));
    expect(plan).toMatchObject({ do: "remove", removals: names });
  });

  test.each([
    ["the runtime's interface", {}, "zone"],
    ["one with a network", { ifName: "eth1", network: "disc" }, "disc"],
    ["one with the list's network", { ifName: "eth1", network: "zone" }, "zone"],
    ["one with a name that cannot be part of a network's", { ifName: "eth@1" }, "zone"],
  ])("%s has one", (_, wrapper, network) => {
    expect(runs(planned(wrapper)).map(([, , name]) => name)).toEqual([network]);
  });
});

describe("a meta plugin's DEL", () => {
  const key = recordOf({ ifName: "eth1" });
  const files = ["portmap-1", "tuning-1"].map((instance) => ({
    file: `${recordFile(key)}:${instance}`,
    owner: key,
    record: undefined,
    isLive: false,
  }));
  const moved = { file: "/var/lib/cni/wrappers/zone:blue:eth0::routes", owner: key, record: undefined, isLive: false };
  const records = keptRecords([key], { files: [...files, moved] });

  test("deletes its own records and no others", () => {
    const [only] = planned({ ifName: "eth1" }, {}, { calledAs: "portmap-wrapper", records });
    expect(only?.forget).toEqual([files[0]?.file]);
  });

  test("without a record of its own leaves the creator's", () => {
    const removals = planned({ ifName: "eth1" }, {}, { calledAs: "portmap-wrapper", records: keptRecords([key]) });
    expect(runs(removals)).toEqual([["portmap", "eth1", "zone-eth1", ""]]);
  });

  test("runs for a plugin of unknown role if its ADD acted on an existing interface", () => {
    const file = `${recordFile(key)}:unknown-1`;
    const acted = keptRecords([key], { files: [{ file, owner: key, record: undefined, isLive: false }] });
    const input = { prevResult: bothResult };
    const [only] = planned({ ifName: "eth2" }, input, { calledAs: "unknown-wrapper", records: acted });
    expect(only).toMatchObject({ call: { delegate: "unknown" }, forget: [] });
    expect(runs(planned({ ifName: "eth1" }, {}, { calledAs: "unknown-wrapper", records: acted }))).toEqual([
      ["unknown", "eth1", "zone-eth1", "unknown-1"],
    ]);
    const [whole] = planned(
      { ifName: "eth1" },
      { prevResult: { interfaces: bothResult.interfaces.slice(0, 1) } },
      { calledAs: "unknown-wrapper", records: acted },
    );
    expect(whole?.call?.configuration).toHaveProperty("prevResult.interfaces", bothResult.interfaces.slice(0, 1));
    expect(whole?.notes).toEqual(["interface eth1 is not in prevResult: the delegate gets all of it"]);
  });

  test("does not run for a plugin that the list calls a creator", () => {
    const acted = { file: `${recordFile(key)}:unknown-1`, owner: key, record: undefined, isLive: false };
    const made = recordOf({ delegate: "unknown", ifName: "eth1" });
    const removals = planned(
      { ifName: "eth1", role: "creator" },
      {},
      { calledAs: "unknown-wrapper", records: keptRecords([made], { files: [acted] }) },
    );
    expect(runs(removals)).toEqual([["unknown", "eth1", "zone-eth1", "eth1"]]);
  });

  test("deletes the record of moved routes, if it moves routes and there is one", () => {
    const sbr = { sbr: { role: "meta", movesRoutes: true } } as const;
    const request = requestOf("DEL", { wrapper: { ifName: "eth1" } });
    const forget = (kept: typeof records) =>
      delRemovals(request, targetOf(request, "sbr-wrapper", sbr), sbr, kept, {}).flatMap((removal) => removal.forget);
    expect(forget(records)).toEqual([moved.file]);
    expect(forget(noRecords)).toEqual([]);
  });
});

describe("a DEL that fails is run once more", () => {
  const inZone = recordOf({ ifName: "eth1", delegateNetwork: "zone" });
  const again = (removals: ReturnType<typeof planned>) => removals.map((removal) => removal.again);

  test.each([
    ["a renamed interface in the list's network", planned({ ifName: "eth1", network: "zone" }), [true]],
    ["one with a record that says so", planned({ ifName: "eth1" }, {}, { records: keptRecords([inZone]) }), [true]],
    ["one without a record, in that network alone", planned({ ifName: "eth1" }), [true, false]],
    ["not the runtime's interface", planned({}), [false]],
    ["not a meta plugin's", planned({ ifName: "eth1", network: "zone" }, {}, { calledAs: "portmap-wrapper" }), [false]],
  ])("%s", (_, removals, expected) => expect(again(removals)).toEqual(expected));
});

describe("an ADD that made nothing", () => {
  const nothing = recordOf({ ifName: "eth1", runtimeIfName: "net1", made: 0 });
  const request = requestOf("DEL", { wrapper: { ifName: "eth1" } }, { ifName: "net1" });
  const del = (...others: Parameters<typeof keptRecords>[0] & object) => {
    const target = targetOf(request, "bridge-wrapper", profiles);
    return delRemovals(request, target, profiles, keptRecords([nothing, ...others]), {});
  };

  test("is removed without a namespace: an interface of that name belongs to another attachment", () => {
    expect(del()).toMatchObject([{ call: { environment: { CNI_IFNAME: "eth1", CNI_NETNS: "" } } }]);
    expect(planned({ ifName: "eth1" }, {}, { records: keptRecords([recordOf({ ifName: "eth1" })]) })).toMatchObject([
      { call: { environment: { CNI_IFNAME: "eth1" } } },
    ]);
  });

  test("notes why it gets no prevResult", () => {
    const target = targetOf(request, "bridge-wrapper", profiles);
    const problem = "invalid prevResult";
    const notes = (...others: Parameters<typeof keptRecords>[0] & object) =>
      delRemovals(request, target, profiles, keptRecords([nothing, ...others]), { problem })[0]?.notes;
    const note = `${problem}: the delegate gets no prevResult`;
    expect(notes()).toEqual([note]);
    expect(notes(recordOf({ ifName: "eth1" }))).toEqual([note, expect.stringContaining("DEL is skipped")]);
  });

  test("is not removed if another attachment of the container has the same leases", () => {
    const live = recordOf({ ifName: "eth1" });
    expect(del(live)).toMatchObject([{ call: undefined, forget: [recordFile(nothing)] }]);
    expect(del(live)[0]?.notes).toEqual([expect.stringContaining("DEL is skipped")]);
  });
});

describe("a meta plugin's DEL without a result of the runtime", () => {
  const prevResult = { cniVersion: "1.0.0", ips: [{ address: "172.26.64.2/20" }] };
  const record = recordOf({ ifName: "eth1", delegate: "portmap", configuration: { type: "portmap", prevResult } });
  const planned = (delegate: string, records: Records, more: JsonObject = {}, input: DelInput = {}) => {
    const request = requestOf("DEL", { wrapper: { ifName: "eth1" }, ...more });
    return delRemovals(request, targetOf(request, `${delegate}-wrapper`, profiles), profiles, records, input);
  };
  const fileOf = (delegate: string, changes: Partial<typeof record>, instance = "1") => {
    const kept = { ...record, delegate, ...changes };
    return { file: `${recordFile(record)}:${delegate}-${instance}`, owner: kept, record: kept, isLive: false };
  };
  const shown = (delegate: string, changes: Partial<typeof record>, more: JsonObject = {}) => {
    const records = keptRecords([], { files: [fileOf(delegate, changes)] });
    return planned(delegate, records, more)[0]?.call?.configuration?.prevResult;
  };

  test("gets the prevResult of its ADD, because only the record knows it", () => {
    expect(shown("portmap", { addresses: ["172.26.64.9/20"] })).toStrictEqual(prevResult);
    const without = keptRecords([], { files: [fileOf("portmap", { configuration: { type: "portmap" } })] });
    expect(planned("portmap", without)[0]?.call?.configuration).not.toHaveProperty("prevResult");
  });

  test("is the same in all else, and the first record that has a prevResult counts", () => {
    const later = { prevResult: { cniVersion: "1.0.0" } };
    const files = [
      fileOf("portmap", { configuration: undefined }, "1"),
      fileOf("portmap", {}, "2"),
      fileOf("portmap", { configuration: later }, "3"),
    ];
    const [only] = planned("portmap", keptRecords([], { files }), { snat: true });
    expect(only?.forget).toEqual(files.map(({ file }) => file));
    expect(only?.call).toStrictEqual({
      delegate: "portmap",
      environment: { CNI_COMMAND: "DEL", CNI_IFNAME: "eth1" },
      configuration: { cniVersion: "1.0.0", name: "zone-eth1", type: "portmap", snat: true, prevResult },
    });
  });

  test("reads no record if the runtime has a result", () => {
    const read = () => {
      throw new Error("a record was read");
    };
    const records = { ...keptRecords([], { files: [fileOf("portmap", {})] }), read };
    const [only] = planned("portmap", records, { prevResult: bothResult }, { prevResult: bothResult });
    expect(only?.call?.configuration?.prevResult).toStrictEqual({ ...bridgeResult, dns: bothResult.dns });
  });

  test("does not get it if the runtime has a result", () => {
    const records = keptRecords([], { files: [fileOf("own", {})] });
    const [only] = planned("own", records, { prevResult: bothResult }, { prevResult: bothResult });
    expect(only?.call?.configuration?.prevResult).toStrictEqual({ ...bridgeResult, dns: bothResult.dns });
  });

  test("gets it with the interfaces that its ADD added", () => {
    const added = [{ name: "tap0", sandbox: "/run/netns/blue" }];
    expect(shown("own", { added })).toStrictEqual({ ...prevResult, interfaces: added });
    expect(shown("portmap", { added })).toStrictEqual(prevResult);
  });

  test("gets none in a version in which no runtime gives it one", () => {
    expect(shown("portmap", {}, { cniVersion: "0.3.1" })).toBeUndefined();
  });
});

test("only a meta plugin without a profile gets the interfaces that its records name", () => {
  const added = [{ name: "eth1", sandbox: "/run/netns/blue" }];
  const shown = (delegate: string) => {
    const record = recordOf({ delegate, added });
    const file = `${recordFile(record)}:${delegate}-1`;
    const records = keptRecords([], { files: [{ file, owner: record, record, isLive: true }] });
    const [only] = planned({}, { prevResult: bothResult }, { calledAs: `${delegate}-wrapper`, records });
    expect(only?.forget).toEqual([file]);
    const given = only?.call?.configuration?.prevResult as typeof bothResult | undefined;
    return given?.interfaces.map(({ name }) => name).join();
  };
  expect(shown("own")).toBe("eth0,disc0,veth1,eth1");
  expect(shown("portmap")).toBe("eth0");
});
