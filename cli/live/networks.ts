import { extname } from "node:path";
import type { JsonObject } from "../../shared/protocol/json.ts";
import { readListFiles } from "../lists/find-files.ts";
import { type List, listOf } from "../lists/list.ts";
import type { ListFile } from "../lists/list-file.ts";
import type { Terminal } from "../terminal.ts";

/** The networks that a runtime would load, by name. */
export type Networks = ReadonlyMap<string, Network>;

/** A network and the list that defines it. */
export interface Network {
  readonly name: string;
  readonly list: List;
  /** The list as libcni sees it: a plugin's configuration in a `.conf` becomes a list with one plugin. */
  readonly value: JsonObject;
}

/**
 * Loads the lists of the directories as Nomad does: files in the order of their names, the first of a name counts
 * (client/allocrunner/networking_cni.go, loadCNIConf). Throws Trouble if a directory cannot be read.
 */
export function loadNetworks(directories: readonly string[], { directory }: Pick<Terminal, "directory">): Networks {
  return networksIn(readListFiles(directories, { directory, readInput: () => "" }));
}

/** Picks the networks from files, in their order. */
export function networksIn(files: readonly ListFile[]): Networks {
  const byName = new Map<string, Network>();
  for (const file of files) {
    const network = networkIn(file);
    const fits = network !== undefined && network.list.hasPlugins === (extname(file.path) === ".conflist");
    if (fits && !byName.has(network.name)) byName.set(network.name, network);
  }
  return byName;
}

/** Returns the network that a file defines, whatever the file's name; undefined if it defines none. */
export function networkIn(file: ListFile): Network | undefined {
  const list = file.errors.length > 0 ? undefined : listOf(file);
  return list?.name === undefined ? undefined : { name: list.name, list, value: asList(list) };
}

// libcni, ConfListFromConf.
function asList({ value, hasPlugins }: List): JsonObject {
  if (hasPlugins) return value;
  const { name, cniVersion } = value;
  return { name, ...(cniVersion !== undefined && { cniVersion }), plugins: [value] };
}
