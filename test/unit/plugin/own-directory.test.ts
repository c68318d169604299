import { expect, test } from "vitest";
import { fileDirectory, withOwnDirectory } from "../../../shared/plugin/profile.ts";
import { frozen } from "../support/frozen.ts";

const shared = "/var/lib/cni/flannel";

test.each([
  ["in the list's network", "flannel", {}, "zone", shared],
  ["in a network of its own", "flannel", {}, "zone-eth1", `${shared}-zone-eth1`],
  ["with an empty directory", "flannel", { dataDir: "" }, "zone-eth1", `${shared}-zone-eth1`],
  ["with a directory from the list", "flannel", { dataDir: "/run/own" }, "zone-eth1", "/run/own"],
  ["with the key in another spelling", "flannel", { DATADIR: "/run/own" }, "zone-eth1", "/run/own"],
  ["that keeps no file by container", "bridge", { dataDir: "/run/own" }, "zone-eth1", undefined],
])("the directory of a plugin %s", (_, type, keys, network, expected) => {
  expect(fileDirectory(withOwnDirectory(frozen({ name: "zone", ...keys }), type, network), type)).toBe(expected);
});

test("a plugin that keeps no file by container gets no key", () => {
  expect(withOwnDirectory(frozen({ name: "zone" }), "bridge", "zone-eth1")).toStrictEqual({ name: "zone" });
});
