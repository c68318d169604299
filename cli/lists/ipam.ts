import type { JSONPath } from "jsonc-parser";
import { goLookup, isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import type { ListedPlugin } from "./list.ts";

/** Returns the type of a plugin's IPAM plugin; undefined if it has none. */
export function ipamTypeOf(configuration: JsonObject): string | undefined {
  const ipam = goLookup(configuration, "ipam");
  const type = isJsonObject(ipam) ? goLookup(ipam, "type") : undefined;
  return typeof type === "string" && type !== "" ? type : undefined;
}

/** An executable that a plugin of a list needs, and the place in the file that names it. */
interface PluginName {
  readonly name: string;
  readonly path: JSONPath;
}

/** Returns the executables that a plugin needs: its own, the one behind a wrapper, and its IPAM plugin. */
export function pluginNamesIn({ type, delegate, wrapper, path, configuration }: ListedPlugin): readonly PluginName[] {
  const own = { name: type, path: [...path, "type"] };
  const named = wrapper.delegate === undefined ? own.path : [...path, "wrapper", "delegate"];
  const behind = delegate === type ? [] : [{ name: delegate, path: named }];
  const ipam = ipamTypeOf(configuration);
  return [own, ...behind, ...(ipam === undefined ? [] : [{ name: ipam, path: [...path, "ipam", "type"] }])];
}
