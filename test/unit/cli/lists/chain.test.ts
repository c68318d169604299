import { expect, test } from "vitest";
import {
  creatorFor,
  hasKnownName,
  isRewritten,
  type List,
  type ListedPlugin,
  mayBeMadeBefore,
  neededVersion,
  runsCheck,
  unchainedPlugin,
} from "../../../../cli/lists/list.ts";
import { parsedList } from "../explain/support.ts";

const zone = (value: object, ...types: (string | object)[]): List =>
  parsedList({ name: "zone", ...value, plugins: types.map((type) => (typeof type === "string" ? { type } : type)) });
const named = (type: string, ifName: string) => ({ type, wrapper: { ifName } });
const pluginAt = ({ plugins }: List, index: number): ListedPlugin => {
  const plugin = plugins[index];
  if (!plugin) throw new Error(`no plugin ${index}`);
  return plugin;
};

test.each<[string, (string | object)[], index: number, creator: number | undefined]>([
  ["of the first plugin", ["bridge", "portmap"], 1, 0],
  ["of the plugin in between", [named("bridge-wrapper", "eth1"), "macvlan", "portmap"], 2, 1],
  ["of a later one", [named("portmap-wrapper", "eth1"), named("bridge-wrapper", "eth1")], 0, undefined],
  ["of itself", ["bridge"], 0, undefined],
  ["of another name", ["bridge", named("portmap-wrapper", "eth1")], 1, undefined],
])("the interface %s", (_, types, index, creator) => {
  const list = zone({}, ...types);
  expect(creatorFor(list, pluginAt(list, index))?.index).toBe(creator);
});

test("a list does not say the names of two plain interface plugins, and says that of wrapped ones", () => {
  const known = (...types: (string | object)[]) => {
    const list = zone({}, ...types);
    return list.plugins.map((plugin) => hasKnownName(list, plugin));
  };
  expect(known("bridge", "macvlan")).toEqual([false, false]);
  expect(known("bridge-wrapper", "macvlan-wrapper")).toEqual([true, true]);
  expect(known("bridge", named("macvlan-wrapper", "eth1"))).toEqual([true, true]);
});

test.each<[string[], index: number, may: boolean]>([
  [["acme", "portmap"], 1, true],
  [["bridge", "acme", "portmap"], 2, true],
  [["bridge", "acme"], 1, false],
  [["loopback", "portmap"], 1, false],
])("%j: an unknown plugin before %i: %s", (types, index, may) => {
  expect(mayBeMadeBefore(zone({}, ...types), index)).toBe(may);
});

test.each<[object, boolean]>([
  [{}, false],
  [{ cniVersion: "" }, false],
  [{ cniVersion: "0.3.1" }, false],
  [{ cniVersion: "0.4.0" }, true],
  [{ cniVersion: "1.0.0" }, true],
  [{ cniVersion: "1.0.0", disableCheck: true }, false],
  [{ cniVersion: "1.0.0", disableCheck: "TRUE" }, false],
  [{ cniVersion: "1.0.0", disableCheck: "false" }, true],
  [{ cniVersion: "0.3.1", disableCheck: "false" }, false],
])("a runtime runs CHECK for %j: %s", (value, runs) => {
  expect(runsCheck(zone(value, "bridge"))).toBe(runs);
});

test("jq of a plain plugin rewrites nothing", () => {
  const rewritten = (type: string) => zone({}, { type, wrapper: { jq: "." } }).plugins.map(isRewritten);
  expect([rewritten("acme"), rewritten("bridge-wrapper")]).toEqual([[false], [true]]);
});

test.each<[string, object, string | undefined]>([
  ["firewall", { cniVersion: "0.3.1" }, "0.4.0"],
  ["firewall", { cniVersion: "0.4.0" }, undefined],
  ["firewall-wrapper", { cniVersion: "0.3.1" }, "0.4.0"],
  ["vrf", { cniVersion: "0.3.0" }, "0.3.1"],
  ["bandwidth", {}, "0.3.0"],
  ["bandwidth", { cniVersion: "0.3.0" }, undefined],
  // The runtime chooses among them.
  ["firewall", { cniVersions: ["0.3.1", "1.0.0"] }, undefined],
  ["firewall", { cniVersion: "7.0.0" }, undefined],
  ["bridge", {}, undefined],
  ["constructor", {}, undefined],
])("%s in %j needs version %s", (type, value, version) => {
  const list = zone(value, type);
  expect(neededVersion(list, pluginAt(list, 0))).toBe(version);
});

test.each<[string, object, (string | object)[], index: number | undefined]>([
  ["a renamed plugin", { cniVersion: "0.2.0" }, ["bridge", named("portmap-wrapper", "eth1")], 1],
  ["in a list without a version", {}, ["bridge", named("portmap-wrapper", "eth1")], 1],
  ["the first of two", {}, ["bridge", named("tuning-wrapper", "eth1"), named("portmap-wrapper", "eth1")], 1],
  ["none before which no plugin is", {}, [named("bridge-wrapper", "eth1")], undefined],
  ["none with the runtime's name", {}, ["bridge", "portmap-wrapper"], undefined],
])("which plugin misses the others' interfaces: %s", (_, value, types, index) => {
  expect(unchainedPlugin(zone(value, ...types))?.index).toBe(index);
});
