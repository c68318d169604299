import { expect, test } from "vitest";
import { isContainerInterface } from "../../../shared/protocol/result.ts";

test.each([
  [{ name: "eth0", sandbox: "/run/netns/blue" }, true],
  [{ name: "cni0" }, false],
  // Go prints a host-side interface in one of these ways, depending on the plugin's version.
  [{ name: "cni0", sandbox: "" }, false],
  [{ name: "cni0", sandbox: null }, false],
])("%j is inside a container: %s", (candidate, expected) => {
  expect(isContainerInterface(candidate)).toBe(expected);
});
