import { expect, test } from "vitest";
import { parseLinks } from "../../../../cli/host/links.ts";

// A container with NET_ADMIN can name a link so. ip(8) prints the bytes as they are.
test("a control character in a link's name does not hide the other links", () => {
  const text = '[{"ifindex":2,"ifname":"eth0"},{"ifindex":3,"ifname":"a\u0001b"}]\n';
  expect(parseLinks(text)).toEqual([
    { ifindex: 2, ifname: "eth0" },
    { ifindex: 3, ifname: "a b" },
  ]);
});
