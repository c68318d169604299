import { describe, expect, test } from "vitest";
import { arranged } from "../../../shared/attachment/narrow.ts";
import { frozen } from "../support/frozen.ts";

const result = frozen({
  interfaces: [{ name: "a", mtu: 1 }, { name: "b" }, { name: "c" }],
  ips: [{ address: "on c", interface: 2, version: "4" }, { address: "on a", interface: 0 }, { address: "on none" }],
  extra: true,
});

describe("a result with some of its interfaces, in another order", () => {
  test.each([
    ["turned around", [2, 1, 0], ["c", "b", "a"], [["on c", 0], ["on a", 2], ["on none"]]],
    ["one left out", [0, 2], ["a", "c"], [["on c", 1], ["on a", 0], ["on none"]]],
    ["its address left out as well", [0, 1], ["a", "b"], [["on a", 0], ["on none"]]],
    ["all left out", [], [], [["on none"]]],
  ])("%s", (_, order, names, addresses) => {
    const { interfaces, ips } = arranged(result, order);
    expect(interfaces?.map(({ name }) => name)).toEqual(names);
    expect(ips?.map(({ address, interface: index }) => (index === undefined ? [address] : [address, index]))).toEqual(
      addresses,
    );
  });

  test("an index without an interface is ignored", () => {
    expect(arranged(result, [2, 7]).interfaces).toStrictEqual([{ name: "c" }]);
    expect(arranged({ interfaces: null }, [0])).toStrictEqual({ interfaces: [] });
  });

  test.each([[{ interfaces: [{ name: "a" }] }], [{ interfaces: [{ name: "a" }], ips: null }]])(
    "a missing list of addresses is not added: %j",
    (withoutIps) => {
      expect(arranged(frozen(withoutIps), [0])).toStrictEqual(withoutIps);
    },
  );
});
