import { type List, type ListedPlugin, listOf } from "../../../../cli/lists/list.ts";
import { parseListFile } from "../../../../cli/lists/list-file.ts";

/** A list called zone with these plugins. */
export function listWith(...plugins: readonly object[]): List {
  const text = JSON.stringify({ cniVersion: "1.0.0", name: "zone", plugins });
  return listOf(parseListFile("zone.conflist", text)) as List;
}

/** The only plugin of a list. */
export function pluginOf(configuration: object): ListedPlugin {
  return listWith(configuration).plugins[0] as ListedPlugin;
}
