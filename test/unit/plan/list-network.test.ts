import { describe, expect, test } from "vitest";
import { planRequest } from "../../../shared/verbs/plan-request.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { frozen } from "../support/frozen.ts";
import { keptRecords, recordOf } from "../support/records.ts";
import { requestOf } from "../support/requests.ts";

const profiles = frozen({ bridge: { role: "creator" }, portmap: { role: "meta" } } as const);
const ipam = { type: "host-local", subnet: "172.26.64.0/20" };
const eth1 = { ifName: "eth1" };
const lease = { address: "172.26.64.2", containerId: "red", ifName: "eth1" };
const leases = { "/var/lib/cni/networks/zone": [lease], "/run/leases/zone": [lease] };

function networkOf(command: "ADD" | "CHECK", configuration: JsonObject, records = keptRecords([], { leases })) {
  const plan = planRequest(requestOf(command, configuration), "bridge-wrapper", profiles, records);
  return "call" in plan ? plan.call?.configuration?.name : plan;
}

describe("ADD of a renamed interface", () => {
  test.each<[string, JsonObject, string]>([
    ["an interface of its name has a lease in the list's network", { wrapper: eth1, ipam }, "zone"],
    [
      "the leases are in a directory of their own",
      { wrapper: eth1, ipam: { ...ipam, DataDir: "/run/leases" } },
      "zone",
    ],
    ["the directory is empty text, which is the default", { wrapper: eth1, ipam: { ...ipam, dataDir: "" } }, "zone"],
    ["they are in another directory", { wrapper: eth1, ipam: { ...ipam, dataDir: "/run/others" } }, "zone-eth1"],
    ["another interface has them", { wrapper: { ifName: "eth2" }, ipam }, "zone-eth2"],
    ["it has a network", { wrapper: { ...eth1, network: "disc" }, ipam }, "disc"],
    ["its IPAM plugin keeps no leases here", { wrapper: eth1, ipam: { ...ipam, type: "dhcp" } }, "zone-eth1"],
    ["it has no IPAM plugin", { wrapper: eth1 }, "zone-eth1"],
    ["it has other ranges", { wrapper: eth1, ipam: { ...ipam, subnet: "10.0.0.0/24" } }, "zone-eth1"],
    [
      "one of its ranges has the address",
      {
        wrapper: eth1,
        ipam: { type: "host-local", ranges: [[{ subnet: "fd00::/64" }, { Subnet: "172.26.64.0/20" }]] },
      },
      "zone",
    ],
  ])("%s: %j, %s", (_, configuration, network) => {
    expect(networkOf("ADD", configuration)).toBe(network);
  });

  test("does not follow the lease of an attachment with that name as the runtime's", () => {
    const runtimes = recordOf({ containerId: "red", runtimeIfName: "eth1", ifName: "eth1", delegateNetwork: "zone" });
    expect(networkOf("ADD", { wrapper: eth1, ipam }, keptRecords([runtimes], { leases }))).toBe("zone-eth1");
  });

  test("follows the record of an earlier try", () => {
    const configuration = { wrapper: eth1, ipam };
    const own = keptRecords([recordOf(eth1)], { leases });
    expect(networkOf("ADD", configuration, own)).toBe("zone-eth1");
    const shared = keptRecords([recordOf({ ...eth1, delegateNetwork: "zone" })]);
    expect(networkOf("ADD", configuration, shared)).toBe("zone");
  });
});

test("CHECK follows the record, even if the network has changed", () => {
  const shared = keptRecords([recordOf({ ...eth1, delegateNetwork: "zone" })]);
  expect(networkOf("CHECK", { wrapper: eth1, ipam }, shared)).toBe("zone");
  expect(networkOf("CHECK", { wrapper: { ...eth1, network: "disc" }, ipam }, shared)).toBe("zone");
  const own = keptRecords([recordOf({ ...eth1, delegateNetwork: "disc" })]);
  expect(networkOf("CHECK", { wrapper: eth1, ipam }, own)).toBe("disc");
  expect(networkOf("CHECK", { wrapper: eth1, ipam })).toBe("zone-eth1");
  expect(networkOf("CHECK", { wrapper: { ...eth1, network: "disc" }, ipam })).toBe("disc");
});

test("CHECK of a plugin that did not make the interface stays in its own network", () => {
  const records = keptRecords([recordOf({ ...eth1, delegateNetwork: "disc" })]);
  const request = requestOf("CHECK", { wrapper: eth1 });
  for (const calledAs of ["portmap-wrapper", "unknown-wrapper"]) {
    const plan = planRequest(request, calledAs, profiles, records);
    expect(plan).toMatchObject({ call: { configuration: { name: "zone-eth1" } } });
  }
  const meta = requestOf("CHECK", { wrapper: { ...eth1, role: "meta" } });
  const former = keptRecords([recordOf({ ...eth1, delegate: "unknown", delegateNetwork: "disc" })]);
  const plan = planRequest(meta, "unknown-wrapper", profiles, former);
  expect(plan).toMatchObject({ call: { configuration: { name: "zone-eth1" } } });
});
