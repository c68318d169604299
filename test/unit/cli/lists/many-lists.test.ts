import { expect, test } from "vitest";
import { type List, listOf } from "../../../../cli/lists/list.ts";
import { parseListFile } from "../../../../cli/lists/list-file.ts";
import { amongNeighbours } from "../../../../cli/lists/neighbours.ts";
import { rules } from "../../../../cli/rules/index.ts";

/** How often the rules read something of a list, in a run of that many lists that do not touch each other. */
function reads(count: number): number {
  let seen = 0;
  const lists = Array.from({ length: count }, (_, index): List => {
    const ipam = (first: number) => ({ type: "host-local", subnet: `${first}.${index >> 8}.${index & 255}.0/24` });
    const value = {
      cniVersion: "1.0.0",
      name: `zone${index}`,
      plugins: [
        { type: "macvlan-wrapper", master: `ens${index}`, ipam: ipam(10) },
        {
          type: "bridge-wrapper",
          bridge: `disc${index}`,
          isGateway: true,
          wrapper: { ifName: "eth1" },
          ipam: ipam(11),
        },
        { type: "flannel-wrapper", dataDir: `/run/flannel${index}`, wrapper: { ifName: "eth2" } },
      ],
    };
    const list = listOf(parseListFile(`/etc/cni/net.d/${index}.conflist`, JSON.stringify(value)));
    if (!list) throw new Error("no list");
    return new Proxy(list, {
      get: (target, key) => {
        seen += 1;
        return Reflect.get(target, key);
      },
    });
  });
  for (const rule of rules) {
    if ("findInList" in rule) for (const list of lists) expect(rule.findInList(list, { lists }) ?? []).toEqual([]);
    if (!("findInPlugin" in rule)) continue;
    for (const list of lists) for (const plugin of list.plugins) rule.findInPlugin(plugin, list, { lists });
  }
  return seen;
}

// Some thousand lists in one directory took minutes when each was compared with each other one.
test("twice as many lists are twice as much work", () => {
  expect(reads(400) / reads(200)).toBeCloseTo(2, 1);
});

test("a list with the same name is no neighbour: a runtime takes one of the two", () => {
  const lists = ["zone", "zone", "shop"].flatMap((name, index) => {
    return listOf(parseListFile(`/etc/cni/net.d/${index}.conflist`, JSON.stringify({ name, plugins: [] }))) ?? [];
  });
  const neighbours = amongNeighbours((list) => [{ list, key: "x" }]);
  const names = lists.map((list) => neighbours(list, lists, "x").map((one) => one.list.name));
  expect(names).toEqual([["shop"], ["shop"], ["zone", "zone"]]);
});
