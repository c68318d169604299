import { expect, test } from "vitest";
import { withLostResult } from "../../../../cli/preflight/lost-results.ts";

const record = {
  ...{ network: "zone", containerId: "c1", runtimeIfName: "eth0", ifName: "eth0", bootId: "b", netns: "/run/netns/c1" },
  ...{ namespace: "4:1", delegate: "macvlan", delegateNetwork: "zone", made: 2, addresses: ["172.16.5.2/24"] },
};
const second = { ...record, ifName: "eth1", made: 3 };

const found = (...records: (typeof record)[]) =>
  withLostResult(records, (netns) => (netns === "/run/netns/c1" ? "4:1" : undefined));

test("the records of one container are one attachment, without a result", () => {
  expect(found(record, second)).toEqual([
    {
      ...{ file: "/var/lib/cni/results/zone-c1-eth0", network: "zone", containerId: "c1", ifName: "eth0" },
      ...{ netns: "/run/netns/c1", list: undefined, args: [], capabilityArgs: {}, result: undefined },
    },
  ]);
});

test.each([
  ["its namespace is gone", { ...record, netns: "/run/netns/c2" }],
  ["another namespace has its path", { ...record, namespace: "4:2" }],
  ["its ADD still runs", { ...record, made: undefined as unknown as number }],
])("a record is no attachment if %s", (_, one) => {
  expect(found(one)).toEqual([]);
});
