import { expect, test } from "vitest";
import { arranged } from "../../../shared/attachment/narrow.ts";
import { frozen } from "../support/frozen.ts";

const result = frozen({
  interfaces: [{ name: "a", mtu: 1 }, { name: "b" }, { name: "c" }],
  ips: [{ address: "on c", interface: 2, version: "4" }, { address: "on a", interface: 0 }, { address: "on none" }],
  extra: true,
});

test("the order of a result with some of its interfaces: an index without an interface is ignored", () => {
  expect(arranged(result, [2, 7]).interfaces).toStrictEqual([{ name: "c" }]);
  expect(arranged({ interfaces: null }, [0])).toStrictEqual({ interfaces: [] });
});
