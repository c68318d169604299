import type { JSONPath } from "jsonc-parser";
import { ipamOf } from "../../shared/journal/host-files.ts";
import { goLookup, isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import type { ListedPlugin } from "./list.ts";

/** A plugin configuration, and its place in the file. */
type Configured = Pick<ListedPlugin, "configuration" | "path">;

/** One range of host-local, as written. */
export interface WrittenRange {
  readonly path: JSONPath;
  readonly range: JsonObject;
}

/** Whether a plugin gets addresses for its interface. */
export function hasIpam({ configuration }: ListedPlugin): boolean {
  return ipamTypeOf(configuration) !== undefined;
}

/** The ranges of host-local, in sets: an interface gets an address of each set. The short form with `subnet` is the first. */
export function rangeSetsOf(plugin: Configured): readonly (readonly WrittenRange[])[] {
  const ipam = ipamOf(plugin.configuration);
  if (goLookup(ipam, "type") !== "host-local") return [];
  const path = [...plugin.path, "ipam"];
  const short = typeof goLookup(ipam, "subnet") === "string" ? [[{ path, range: ipam }]] : [];
  const ranges = goLookup(ipam, "ranges");
  const sets = Array.isArray(ranges) ? ranges : [];
  return [
    ...short,
    ...sets.map((set, index) =>
      (Array.isArray(set) ? set : []).flatMap((range, place) => {
        return isJsonObject(range) ? [{ path: [...path, "ranges", index, place], range }] : [];
      }),
    ),
  ];
}

/** The entries of a list in the `ipam` block, such as `routes` and `addresses`, with their places. */
export function entriesOf(plugin: Configured, key: string): readonly { path: JSONPath; entry: JsonObject }[] {
  const list = goLookup(ipamOf(plugin.configuration), key);
  return (Array.isArray(list) ? list : []).flatMap((entry, index) => {
    return isJsonObject(entry) ? [{ path: [...plugin.path, "ipam", key, index], entry }] : [];
  });
}

/** The subnets of an interface's addresses that are certain, as written: of static, and of host-local's sets with one range. */
export function certainSubnets(plugin: ListedPlugin): readonly { path: JSONPath; subnet: unknown; gateway: unknown }[] {
  const fixed = ipamTypeOf(plugin.configuration) === "static" ? entriesOf(plugin, "addresses") : [];
  const leased = rangeSetsOf(plugin).flatMap((set) => (set.length === 1 ? set : []));
  return [
    ...leased.map(({ path, range: { subnet, gateway } }) => ({ path, subnet, gateway })),
    ...fixed.map(({ path, entry: { address, gateway } }) => ({ path, subnet: address, gateway })),
  ];
}

/** Returns the type of a plugin's IPAM plugin; undefined if it has none. */
export function ipamTypeOf(configuration: JsonObject): string | undefined {
  const type = goLookup(ipamOf(configuration), "type");
  return typeof type === "string" && type !== "" ? type : undefined;
}

/** Returns the executables that a plugin needs, with their places: its own, the one behind a wrapper, and its IPAM plugin. */
export function pluginNamesIn(plugin: ListedPlugin): readonly { name: string; path: JSONPath }[] {
  const { type, delegate, wrapper, path, configuration } = plugin;
  const own = { name: type, path: [...path, "type"] };
  const named = wrapper.delegate === undefined ? own.path : [...path, "wrapper", "delegate"];
  const behind = delegate === type ? [] : [{ name: delegate, path: named }];
  const ipam = ipamTypeOf(configuration);
  return [own, ...behind, ...(ipam === undefined ? [] : [{ name: ipam, path: [...path, "ipam", "type"] }])];
}
