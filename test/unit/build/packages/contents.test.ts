import { expect, test } from "vitest";
import { contentsOf } from "../../../../build/packages/contents.ts";

const sources = { archive: "/archive", files: "/files", made: "/made" };

test.each([
  ["deb", ["/opt/cni/bin/bridge-wrapper -> cni-wrappers", "/usr/lib/cni/bridge-wrapper -> /opt/cni/bin/cni-wrappers"]],
  ["rpm", ["/opt/cni/bin/bridge-wrapper -> cni-wrappers"]],
] as const)("the links in the %s: only Debian's podman looks into /usr/lib/cni", (packager, expected) => {
  const contents = contentsOf("slim", ["bridge-wrapper"], sources);
  const own = contents.filter((one) => one.packager === undefined || one.packager === packager);
  const links = own.filter(({ type }) => type === "symlink").map(({ src, dst }) => `${dst} -> ${src}`);
  expect(links).toEqual(expected);
});
