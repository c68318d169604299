import { closeSync, fstatSync, openSync, readlinkSync, statfsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { isAbandoned, namespaceDirectory } from "../../shared/delegate/lent-namespace.ts";
import { attempt, listDirectory, nameOnly, stat } from "../../shared/host/node/files.ts";

// linux/magic.h: NSFS_MAGIC. A plain file is what is left after a reboot or an unmount.
const namespaceFileSystem = 0x6e736673;

/** Whether a path is a live network namespace. */
export function isNamespace(path: string): boolean {
  return path !== "" && attempt(() => statfsSync(path).type) === namespaceFileSystem;
}

/** What a path of a network namespace leads to. `unreadable`: nobody can tell without more rights. */
export type PathState = "live" | "gone" | "unreadable";

/** Looks at the path of a namespace. One that leads nowhere, or to another file, is what a reboot or an unmount leaves. */
export function pathStateAt(path: string): PathState {
  // guard: a live container's namespace is not that of another process
  if (isNamespace(path)) return isReusedPid(path) ? "gone" : "live";
  try {
    if (path !== "") statfsSync(path);
    return "gone";
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    // guard: a namespace that cannot be looked at is not called gone
    return ["ENOENT", "ENOTDIR"].includes(code) ? "gone" : "unreadable";
  }
}

// nerdctl and ctr name a namespace by a process, and so does a link. A later process of the host can have the same id.
function isReusedPid(path: string): boolean {
  const named = [path, linkText(path) ?? ""].find((one) => /^\/proc\/\d+\/ns\/net$/.test(one));
  // This process may be in a container's namespace itself.
  const hosts = linkText("/proc/1/ns/net") ?? linkText("/proc/self/ns/net");
  return named !== undefined && linkText(named) === hosts;
}

/** Returns where a symbolic link leads; undefined if there is none. */
export function linkText(path: string): string | undefined {
  return attempt(() => readlinkSync(path));
}

/**
 * Calls a function with a path that leads to the network namespace at another path, and to nothing else: the other one is
 * followed once, and then the file itself tells what it is. Returns undefined if it is no namespace, or not the one with the
 * inode.
 */
export async function withNamespace<T>(
  path: string,
  inode: number | undefined,
  use: (safePath: string) => Promise<T>,
): Promise<T | undefined> {
  const file = attempt(() => openSync(path, nameOnly));
  if (file === undefined) return undefined;
  try {
    const { dev, ino } = fstatSync(file);
    // guard: nothing is run in what is no namespace, or another one
    const isFound = dev === statSync("/proc/self/ns/net").dev && (inode === undefined || ino === inode);
    return isFound ? await use(`/proc/${process.pid}/fd/${file}`) : undefined;
  } finally {
    closeSync(file);
  }
}

/** Lists the live namespaces that have a name on this host, by path. */
export function namedNamespaces(): readonly string[] {
  const paths = (listDirectory(namespaceDirectory) ?? []).map((name) => join(namespaceDirectory, name));
  return paths.filter((path) => isNamespace(path) && !isLeftByDel(path)).sort();
}

/** Whether a path is of the namespace that a killed DEL lent to its plugin: it has a container's address, and no container. */
export function isLeftByDel(path: string): boolean {
  return dirname(namespacePath(path)) === namespaceDirectory && isAbandoned(basename(path), { stat });
}

/**
 * Returns a function that tells whether a path leads to one of the namespaces at other paths. A namespace can have several names:
 * `ip netns attach` and a link give it another one.
 */
export function isAmong(paths: readonly string[]): (path: string) => boolean {
  const names = new Set(paths.map(namespacePath));
  const files = new Set(paths.map(fileAt));
  return (path) => {
    const file = fileAt(path);
    return names.has(namespacePath(path)) || (file !== "" && files.has(file));
  };
}

function fileAt(path: string): string {
  const found = attempt(() => statSync(path));
  return found ? `${found.dev}:${found.ino}` : "";
}

/** Returns the shortest spelling of a namespace's path. /var/run is a link to /run. */
export function namespacePath(path: string): string {
  return path.replace(/^\/var\/run\//, "/run/");
}
