import { expect, test } from "vitest";
import { withoutNames } from "../../../../cli/live/alike.ts";

const id = "0b6f8c1e-2d3a-4b5c-8d7e-9f0a1b2c3d4e";

test.each([
  [`container ${id} of ${"ab".repeat(32)}`, "container <id> of <id>"],
  ["MAC 02:00:00:00:00:01 is missing", "MAC <MAC> is missing"],
  ["no 10.1.0.2/24, and no 10.1.0.3", "no <address>, and no <address>"],
  ["no fd00:5::2/64, and no fe80::1", "no <address>, and no <address>"],
  [
    "veth created for bridge disc0, vethd0f1a2b3, was not found",
    "veth created for bridge disc0, <veth>, was not found",
  ],
  ["eth1 of zone 12:30 is as it was", "eth1 of zone 12:30 is as it was"],
])("what belongs to one container is left out of %j", (reason, expected) => {
  expect(withoutNames(reason)).toBe(expected);
});
