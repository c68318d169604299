import { describe, expect, test } from "vitest";
import { planDel } from "../../../shared/plan/del.ts";
import { targetOf } from "../../../shared/plan/target.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
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
  test("gets no address that another container has, and says so", () => {
    expect(addressesOf([[], { holdings: [red] }])).toEqual({
      addresses: [],
      notes: [`another container has ${eth1} by now: DEL does not remove the rules of this address`],
    });
  });

  test("gets its address if nobody else has it", () => {
    const blue = { containerId: "blue", addresses: [eth1] };
    const other = { containerId: "red", addresses: ["172.26.64.77/20"] };
    expect(addressesOf([[], { holdings: [blue, other] }])).toEqual({ addresses: [eth1], notes: [] });
  });

  test("gets its address while its own lease is there, whatever else says", () => {
    const directory = "/var/lib/cni/networks/zone-eth1";
    const own = { address: eth1.split("/")[0] ?? "", containerId: "blue", ifName: "eth1" };
    const record = recordOf({ ifName: "eth1" });
    const kept = (lease: typeof own) => addressesOf([[record], { leases: { [directory]: [lease] }, holdings: [red] }]);
    expect(kept(own).addresses).toEqual([eth1]);
    expect(kept({ ...own, containerId: "red" }).addresses).toEqual([]);
    expect(kept({ ...own, address: "172.26.64.77" }).addresses).toEqual([]);
  });
});

test.each([
  ["of a plugin without a profile, which may have such rules", "limiter-wrapper", { role: "meta" }, []],
  ["but not of portmap, whose rules name the container", "portmap-wrapper", {}, [eth1]],
])("addresses of others are left out of the DEL %s", (_, calledAs, wrapper, expected) => {
  expect(addressesOf([[], { holdings: [red] }], calledAs, wrapper).addresses).toEqual(expected);
});

test("without a prevResult there is nothing to leave out, and nothing is read", () => {
  const request = requestOf("DEL", { wrapper: { ifName: "eth1" } });
  const records = {
    ...keptRecords(),
    holdings: () => {
      throw new Error("all records were read");
    },
  };
  const plan = planDel(request, targetOf(request, "firewall-wrapper", profiles), profiles, records);
  expect(plan).toMatchObject({ do: "handOver", call: { delegate: "firewall" } });
});
