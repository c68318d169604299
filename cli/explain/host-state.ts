import type { Host } from "../../shared/host/host.ts";
import { listDirectory, readFile, stat } from "../../shared/host/node/files.ts";
import { ip } from "../../shared/host/node/ip.ts";
import { linkIndex } from "../../shared/host/node/link-index.ts";

/** The part of a host that a wrapper's plan depends on. */
export type HostState = Pick<
  Host,
  "readFile" | "writeFile" | "removeFile" | "listDirectory" | "stat" | "linkIndex" | "ip"
>;

const bootIdFile = "/proc/sys/kernel/random/boot_id";
const defaultCache = "/var/lib/cni/";

/** Returns a host with one container and no files. It keeps the records that the wrappers write. */
export function emptyState(netns: string): HostState {
  const files = new Map([[bootIdFile, "example"]]);
  return {
    readFile: (path) => files.get(path),
    writeFile(path, text) {
      // There are no routes that could have moved.
      if (!path.endsWith(":routes")) files.set(path, text);
      return undefined;
    },
    removeFile: (path) => void files.delete(path),
    listDirectory: (path) => [...files.keys()].filter((file) => file.startsWith(`${path}/`)).map(nameOf),
    stat(path) {
      if (files.has(path)) return { device: 1, inode: 1, modifiedMs: Date.now() };
      return path === netns ? { device: 4, inode: 1, modifiedMs: 0 } : undefined;
    },
    linkIndex: () => 0,
    ip: () => "[]\n[]\n[]\n",
  };
}

/** Returns this host, with libcni's cache and the records in a directory. Nothing can be written. */
export function presentState(cacheDirectory: string): HostState {
  const at = (path: string) =>
    path.startsWith(defaultCache) ? `${cacheDirectory}/${path.slice(defaultCache.length)}` : path;
  return {
    readFile: (path) => readFile(at(path)),
    writeFile: () => undefined,
    removeFile: () => {},
    listDirectory: (path) => listDirectory(at(path)),
    stat: (path) => stat(at(path)),
    linkIndex,
    ip,
  };
}

function nameOf(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}
