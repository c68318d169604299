import { expect, test } from "vitest";
import { chainName, limiterName, masqueradeName, plainAddress } from "../../../../cli/prune/thing.ts";

// As the reference plugins 1.9.1 named them.
test.each([
  [chainName("", "zone", "c1"), "CNI-5f346e2d484bb1c7403b7e9b"],
  [chainName("DN-", "zone", "c1"), "CNI-DN-5f346e2d484bb1c7403b7"],
  [limiterName("zone-eth1", "c1"), "bwp3aa149931c41"],
  [masqueradeName("zone-eth1", "eth1", "c1"), "791bac27a6f0934a-ce22e8fef5c0a4f4"],
])("%s", (name, expected) => {
  expect(name).toBe(expected);
});

test.each([
  ["172.26.64.2", "172.26.64.2/20"],
  ["fd00:27::2", "fd00:27:0:0:0:0:0:2/64"],
  ["fd00:27::a", "FD00:27::A"],
])("%s and %s are one address", (one, other) => {
  expect(plainAddress(one)).toBe(plainAddress(other));
});

test("what is no address stays as it is", () => expect(plainAddress("no-address/24")).toBe("no-address"));

test.each([
  ["172.26.64.2", "172.26.64.3"],
  ["::a1", "::1a"],
])("%s and %s are two addresses", (one, other) => {
  expect(plainAddress(one)).not.toBe(plainAddress(other));
});
