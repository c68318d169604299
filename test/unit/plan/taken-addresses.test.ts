import { describe, expect, test } from "vitest";
import { delegateCall } from "../../../shared/plan/call.ts";
import { delRemovals, planDel } from "../../../shared/plan/del.ts";
import { keepingRulesOfOthers } from "../../../shared/plan/taken-addresses.ts";
import { targetOf } from "../../../shared/call/target.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { recordFile } from "../../../shared/record/record.ts";
import { frozen } from "../support/frozen.ts";
import { keptRecords, recordOf } from "../support/records.ts";
import { requestOf } from "../support/requests.ts";
import { bothResult } from "../support/results.ts";

// A runtime repeats a DEL that was killed. The plugins after the killed one run once more, when their addresses may be another's.

const profiles = frozen({ firewall: { role: "meta", delByAddress: true }, portmap: { role: "meta" } } as const);
const eth1 = bothResult.ips?.[1]?.address ?? "";
const red = { containerId: "red", addresses: [eth1] };

function addressesOf(kept: Parameters<typeof keptRecords>, calledAs = "firewall-wrapper", wrapper: JsonObject = {}) {
  const request = requestOf("DEL", { prevResult: bothResult, wrapper: { ifName: "eth1", ...wrapper } });
  const plan = planDel(request, targetOf(request, calledAs, profiles), profiles, keptRecords(...kept));
  if (plan.do !== "handOver") throw new Error(`DEL without a record is handed over, and this plan is: ${plan.do}`);
  const notes = plan.effects.flatMap((effect) => (effect.do === "warn" ? effect.message : []));
  const prevResult = plan.call.configuration?.prevResult as typeof bothResult;
  return { addresses: prevResult.ips?.map(({ address }) => address), notes };
}

describe("firewall's DEL", () => {
  test("gets the addresses of all its ADDs: the runtime may have the result of an earlier boot", () => {
    const eth0 = bothResult.ips?.[0]?.address ?? "";
    const prevResult = { cniVersion: "1.0.0", ips: [{ address: "172.26.64.6/20" }, { address: eth1 }] };
    const record = recordOf({
      ...{ ifName: "eth1", delegate: "firewall", configuration: { prevResult } },
      addresses: ["172.26.64.5/20"],
    });
    const file = { file: `${recordFile(record)}:firewall-1`, owner: record, record, isLive: false };
    const request = requestOf("DEL", { prevResult: bothResult, wrapper: { ifName: "eth1" } });
    const target = targetOf(request, "firewall-wrapper", profiles);
    const [only] = delRemovals(request, target, profiles, keptRecords([], { files: [file] }), {
      prevResult: bothResult,
    });
    const shown = only?.call?.configuration?.prevResult as { ips: { address: string; interface?: number }[] };
    expect(shown.ips.map(({ address }) => address)).toEqual([eth1, "172.26.64.5/20", "172.26.64.6/20"]);
    expect(shown.ips[1]).toStrictEqual({ address: "172.26.64.5/20" });
    expect(shown.ips).not.toContainEqual(expect.objectContaining({ address: eth0 }));
  });

  test("is the same but for the addresses, which are several in a dual stack, and keeps its other notes", () => {
    const ips = [{ address: "10.0.0.2/24" }, null, { address: "fd00::2/64" }, { address: "10.0.0.9/24" }];
    const prevResult = { ...bothResult, ips };
    const others = { containerId: "red", addresses: ["10.0.0.2/16", "fd00:0::2/64"] };
    const request = requestOf("DEL", { prevResult, wrapper: { ifName: "eth1" }, backend: "iptables" });
    const target = targetOf(request, "firewall-wrapper", profiles);
    const call = { ...delegateCall(request, target), environment: { CNI_IFNAME: "eth1" } };
    const removal = { call, again: false, forget: ["a"], notes: ["before"] };
    const records = keptRecords([], { holdings: [others] });
    expect(keepingRulesOfOthers(request, target, removal, records)).toStrictEqual({
      call: {
        ...call,
        configuration: {
          ...call.configuration,
          prevResult: { ...prevResult, ips: [null, { address: "10.0.0.9/24" }] },
        },
      },
      again: false,
      forget: ["a"],
      notes: ["before", "another container has 10.0.0.2/24, fd00::2/64 by now: DEL does not remove its rules"],
    });
  });

  test("gets no address that another container has, and says so", () => {
    expect(addressesOf([[], { holdings: [red] }])).toEqual({
      addresses: [],
      notes: [`another container has ${eth1} by now: DEL does not remove its rules`],
    });
  });

  test("gets its address if nobody else has it", () => {
    const blue = { containerId: "blue", addresses: [eth1] };
    const other = { containerId: "red", addresses: ["172.26.64.77/20"] };
    expect(addressesOf([[], { holdings: [blue, other] }])).toEqual({ addresses: [eth1], notes: [] });
  });

  test("asks host-local's leases first, in every network", () => {
    const lease = { address: eth1.split("/")[0] ?? "", containerId: "blue", ifName: "eth1" };
    const leased = (...leases: (typeof lease)[]) =>
      addressesOf([[], { leases: { one: leases.slice(0, 1), other: leases.slice(1) }, holdings: [red] }]).addresses;
    expect(leased(lease)).toEqual([eth1]);
    expect(leased(lease, { ...lease, containerId: "red" })).toEqual([]);
    expect(leased({ ...lease, address: "172.26.64.77" })).toEqual([]);
  });

  test("sees a lease of an ADD that has not ended", () => {
    const lease = { address: eth1.split("/")[0] ?? "", containerId: "red", ifName: "eth1" };
    expect(addressesOf([[], { leases: { one: [lease] } }]).addresses).toEqual([]);
  });
});

test.each([
  ["of a plugin without a profile, which may have such rules", "limiter-wrapper", { role: "meta" }, []],
  ["but not of portmap, whose rules name the container", "portmap-wrapper", {}, [eth1]],
])("addresses of others are left out of the DEL %s", (_, calledAs, wrapper, expected) => {
  expect(addressesOf([[], { holdings: [red] }], calledAs, wrapper).addresses).toEqual(expected);
});

test("what is no address is nobody's, and no file's name", () => {
  const ips = [{ address: "../../../../etc/passwd/24" }, { address: 7 }, "x"];
  const request = requestOf("DEL", { prevResult: { ...bothResult, ips }, wrapper: { ifName: "eth9" } });
  const records = { ...keptRecords(), leasesOf: () => unexpected("a lease was read") };
  const plan = planDel(request, targetOf(request, "firewall-wrapper", profiles), profiles, records);
  expect(plan).toMatchObject({ do: "handOver", call: { configuration: { prevResult: { ips } } } });
});

test("without a prevResult there is nothing to leave out, and nothing is read", () => {
  const request = requestOf("DEL", { wrapper: { ifName: "eth1" } });
  const records = { ...keptRecords(), holdings: () => unexpected("all records were read") };
  const plan = planDel(request, targetOf(request, "firewall-wrapper", profiles), profiles, records);
  expect(plan).toMatchObject({ do: "handOver", call: { delegate: "firewall" } });
});

function unexpected(message: string): never {
  throw new Error(message);
}
