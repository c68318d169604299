import { expect, test } from "vitest";
import { parsedList } from "../explain/support.ts";

const list = (...plugins: object[]) => parsedList({ cniVersion: "1.0.0", name: "zone", plugins }).plugins;
const seen = (plugin: object) => {
  const [first] = list(plugin);
  return first && [first.delegate, first.role, first.ifName, first.network, first.isRenamed];
};

test.each<[string, object, unknown[]]>([
  ["a plain plugin", { type: "bridge" }, ["bridge", "creator", "eth0", "zone", false]],
  ["a wrapped one", { type: "bridge-wrapper" }, ["bridge", "creator", "eth0", "zone", false]],
  [
    "a renamed one has a network of its own",
    { type: "bridge-wrapper", wrapper: { ifName: "eth1" } },
    ["bridge", "creator", "eth1", "zone-eth1", true],
  ],
  [
    "so has one with the runtime's name, if the list says it",
    { type: "bridge-wrapper", wrapper: { ifName: "eth0" } },
    ["bridge", "creator", "eth0", "zone-eth0", false],
  ],
  [
    "and another one",
    { type: "portmap-wrapper", wrapper: { ifName: "eth1", network: "pool" } },
    ["portmap", "meta", "eth1", "pool", true],
  ],
  [
    "an unknown one with a role",
    { type: "cni-wrappers", wrapper: { delegate: "acme", role: "creator", ifName: "eth1" } },
    ["acme", "creator", "eth1", "zone-eth1", true],
  ],
  ["one that nobody names", { type: "cni-wrappers" }, ["cni-wrappers", undefined, "eth0", "zone", false]],
  [
    "values of a wrong type",
    { type: "bridge-wrapper", wrapper: { ifName: 1, network: null, delegate: {}, role: "both" } },
    ["bridge", "creator", "eth0", "zone", false],
  ],
  ["no type", {}, ["", undefined, "eth0", "zone", false]],
])("%s", (_, plugin, expected) => {
  expect(seen(plugin)).toEqual(expected);
});

test("a plain plugin's block does not count", () => {
  const [first] = list({ type: "acme", wrapper: { ifName: "eth1", network: "pool", delegate: "bridge" } });
  expect(first).toMatchObject({ delegate: "acme", isWrapped: false, ifName: "eth0", network: "zone" });
});
