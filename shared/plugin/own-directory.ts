import { goLookup, type JsonObject, withGoKey } from "../protocol/json.ts";

/** A plugin's directory with one file for each container: the key that names it, and the default. */
interface FileDirectory {
  readonly key: string;
  readonly fallback: string;
}

/** By type. Two plugins of one container that share such a directory replace each other's file. */
const directories: Readonly<Record<string, FileDirectory>> = {
  // Its DEL needs what its ADD wrote to <dataDir>/<container> (flannel-io/cni-plugin, flannel_linux.go).
  flannel: { key: "dataDir", fallback: "/var/lib/cni/flannel" },
};

/**
 * Returns a plugin's configuration. If the plugin keeps a file for each container, and has another network than the list's, it
 * gets a directory of its own. A directory that the list names stays.
 */
export function withOwnDirectory(configuration: JsonObject, type: string, network: string): JsonObject {
  const directory = directoryOf(type);
  if (directory === undefined || network === configuration.name) return configuration;
  if (isNamed(goLookup(configuration, directory.key))) return configuration;
  return withGoKey(configuration, directory.key, `${directory.fallback}-${network}`);
}

/** Returns the directory in which a plugin keeps a file for each container; undefined if it keeps none. */
export function fileDirectory(configuration: JsonObject, type: string): string | undefined {
  const directory = directoryOf(type);
  const given = directory && goLookup(configuration, directory.key);
  return isNamed(given) ? given : directory?.fallback;
}

function directoryOf(type: string): FileDirectory | undefined {
  return Object.hasOwn(directories, type) ? directories[type] : undefined;
}

// A program in Go takes an empty text for a missing one.
function isNamed(directory: unknown): directory is string {
  return typeof directory === "string" && directory !== "";
}
