import { expect, test } from "vitest";
import { chainName, limiterName, masqueradeName } from "../../../../cli/prune/thing.ts";

// As the reference plugins 1.9.1 named them.
test.each([
  [chainName("", "zone", "c1"), "CNI-5f346e2d484bb1c7403b7e9b"],
  [chainName("DN-", "zone", "c1"), "CNI-DN-5f346e2d484bb1c7403b7"],
  [limiterName("zone-eth1", "c1"), "bwp3aa149931c41"],
  [masqueradeName("zone-eth1", "eth1", "c1"), "791bac27a6f0934a-ce22e8fef5c0a4f4"],
])("%s", (name, expected) => {
  expect(name).toBe(expected);
});
