import { statfsSync } from "node:fs";
import { join } from "node:path";
import { attempt, listDirectory } from "../../shared/host/node/files.ts";

const namespaceDirectory = "/run/netns";
// linux/magic.h: NSFS_MAGIC. A plain file is what is left after a reboot or an unmount.
const namespaceFileSystem = 0x6e736673;

/** Whether a path is a live network namespace. */
export function isNamespace(path: string): boolean {
  return path !== "" && attempt(() => statfsSync(path).type) === namespaceFileSystem;
}

/** Lists the live namespaces that have a name on this host, by path. */
export function namedNamespaces(): readonly string[] {
  const paths = listDirectory(namespaceDirectory).map((name) => join(namespaceDirectory, name));
  return paths.filter(isNamespace).sort();
}

/** Returns the shortest spelling of a namespace's path. /var/run is a link to /run. */
export function namespacePath(path: string): string {
  return path.replace(/^\/var\/run\//, "/run/");
}
