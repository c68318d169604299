import { expect, test } from "vitest";
import { isWrapperType, listFrom } from "../../../../cli/lists/list.ts";
import { isBefore, nameOf } from "../../../../cli/lists/neighbours.ts";
import { parsedList } from "../explain/support.ts";

const list = (...plugins: object[]) => parsedList({ cniVersion: "1.0.0", name: "zone", plugins }).plugins;
const seen = (plugin: object) => {
  const [first] = list(plugin);
  return first && [first.delegate, first.role, first.ifName, first.network, first.isRenamed];
};

const pooled = { type: "portmap-wrapper", wrapper: { ifName: "eth1", network: "pool" } };
const acme = (role: string, more: object = {}) => ({
  type: "cni-wrappers",
  wrapper: { delegate: "acme", role, ...more },
});

test.each<[string, object, unknown[]]>([
  ["a plain plugin", { type: "bridge" }, ["bridge", "creator", "eth0", "zone", false]],
  ["a wrapped one", { type: "bridge-wrapper" }, ["bridge", "creator", "eth0", "zone", false]],
  ["and another one", pooled, ["portmap", "meta", "eth1", "pool", true]],
  ["an unknown one with a role", acme("creator", { ifName: "eth1" }), ["acme", "creator", "eth1", "zone-eth1", true]],
  ["an unknown chained one", acme("meta"), ["acme", "meta", "eth0", "zone", false]],
  ["an unknown one with another role", acme("both"), ["acme", undefined, "eth0", "zone", false]],
  ["one that nobody names", { type: "cni-wrappers" }, ["cni-wrappers", undefined, "eth0", "zone", false]],
  [
    "values of a wrong type",
    { type: "bridge-wrapper", wrapper: { ifName: 1, network: 7, delegate: {}, role: "both" } },
    ["bridge", "creator", "eth0", "zone", false],
  ],
  ["no type", {}, ["", undefined, "eth0", "zone", false]],
])("%s", (_, plugin, expected) => {
  expect(seen(plugin)).toEqual(expected);
});

// What libcni 1.3.1 says of such a list (NetworkConfFromBytes).
test.each<[object, string | undefined]>([
  [{ cniVersions: ["1.0.0", "0.4.0"] }, "1.0.0"],
  [{ cniVersion: "0.3.1", cniVersions: ["1.0.0", "1.1.0", "1.2.0"] }, "1.1.0"],
  [{ cniVersion: "1.0.0", cniVersions: ["0.4.0"] }, "1.0.0"],
  [{ cniVersion: "1.2.0", cniVersions: ["0.4.0"] }, "0.4.0"],
  [{ cniVersion: "1.2.0", cniVersions: ["1.3.0"] }, "1.2.0"],
  [{ cniVersion: "", cniVersions: ["0.4.0"] }, "0.4.0"],
  [{ cniVersion: "0.4.0", cniVersions: [] }, "0.4.0"],
  [{ cniVersions: ["0.4.0", "0.10.0"] }, "0.10.0"],
  // It loads none of these.
  [{ cniVersions: ["0.4.0", 1, null, {}] }, "0.4.0"],
  [{}, undefined],
])("the version that a runtime takes of %j", (versions, expected) => {
  expect(listFrom({ ...versions, name: "zone", plugins: [] })?.cniVersion).toBe(expected);
});

test("a plain plugin's block does not count", () => {
  const [first] = list({ type: "acme", wrapper: { ifName: "eth1", network: "pool", delegate: "bridge" } });
  expect(first).toMatchObject({ delegate: "acme", isWrapped: false, ifName: "eth0", network: "zone" });
});

const block = { wrapper: { ifName: "eth1" } };

test.each<[string, object[], isDropIn: boolean, wrapped: boolean[]]>([
  ["plain plugins", [{ type: "bridge" }, { type: "portmap" }], false, [false, false]],
  ["a block beside an interface plugin", [{ type: "bridge", ...block }, { type: "portmap" }], true, [true, true]],
  ["an unknown plugin beside it", [{ type: "bridge", ...block }, { type: "acme" }], true, [true, false]],
  ["a wrapper's own name", [{ type: "bridge", ...block }, { type: "portmap-wrapper" }], false, [false, true]],
  ["a block of a chained plugin", [{ type: "bridge" }, { type: "portmap", ...block }], false, [false, false]],
  ["a block of an unknown plugin", [{ type: "acme", ...block }, { type: "portmap" }], false, [false, false]],
])("whether wrappers have the plugins' names: %s", (_, plugins, isDropIn, wrapped) => {
  const found = parsedList({ name: "zone", plugins });
  expect([found.isDropIn, found.plugins.map(({ isWrapped }) => isWrapped)]).toEqual([isDropIn, wrapped]);
});

test("values of a wrong type are left out, and a file without plugins has one", () => {
  expect(listFrom({ name: 7, cniVersion: 1, plugins: {} })).toMatchObject({ hasPlugins: true, plugins: [] });
  const found = parsedList({ name: 7, cniVersion: 1, type: "bridge-wrapper", ...block });
  expect(found).toMatchObject({ hasPlugins: false, name: undefined, cniVersion: undefined });
  expect(found.plugins).toMatchObject([{ path: [], network: "" }]);
  expect(parsedList({ name: "zone", plugins: [7] }).plugins).toMatchObject([{ type: "", configuration: {} }]);
});

test("only a whole name is a wrapper's", () => {
  const types = ["bridge-wrapper", "cni-wrappers", "bridge-wrapper-old", "-wrapper", "bridge"];
  expect(types.map(isWrapperType)).toEqual([true, true, false, false, false]);
});

test("a list has its name and its file's in messages about others, and its place in the run", () => {
  const [one, other] = [parsedList({ name: "zone" }), parsedList({})];
  expect([one, other].map(nameOf)).toEqual(["zone (zone.conflist)", "a list without a name (zone.conflist)"]);
  const run = [one, other];
  expect([isBefore(one, other, run), isBefore(other, one, run), isBefore(one, one, run)]).toEqual([true, false, false]);
});
