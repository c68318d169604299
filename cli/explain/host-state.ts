import type { Host } from "../../shared/host/host.ts";
import { listDirectory, readFile, stat } from "../../shared/host/node/files.ts";
import { ip } from "../../shared/host/node/ip.ts";
import { linkIndex } from "../../shared/host/node/link-index.ts";

/** The part of a host that a wrapper's plan depends on. */
export type HostState = Pick<
  Host,
  "readFile" | "appendJournal" | "removeFile" | "removeDirectory" | "listDirectory" | "stat" | "linkIndex" | "ip"
>;

const bootIdFile = "/proc/sys/kernel/random/boot_id";
const defaultCache = "/var/lib/cni/";
const identity = { device: 1, inode: 1, size: 0, modifiedMs: 0, changedMs: 0 };

/** Returns a host with one container and no files. It keeps the journal that the wrappers write. */
export function emptyState(netns: string): HostState {
  const files = new Map([
    [bootIdFile, "example"],
    ["/proc/uptime", "1.00 1.00"],
  ]);
  return {
    readFile: (path) => files.get(path),
    appendJournal(path, text) {
      files.set(path, `${files.get(path) ?? ""}${text}`);
      return undefined;
    },
    removeDirectory: () => {},
    removeFile: (path) => void files.delete(path),
    listDirectory: (path) => [...new Set([...files.keys()].flatMap((file) => nameIn(path, file) ?? []))],
    stat(path) {
      const text = files.get(path);
      if (text !== undefined) return { ...identity, size: text.length, modifiedMs: Date.now() };
      return path === netns ? { ...identity, device: 4 } : undefined;
    },
    linkIndex: () => 0,
    ip: () => "[]\n[]\n[]\n",
  };
}

/** Returns this host, with libcni's cache and the journals in a directory. Nothing can be written. */
export function presentState(cacheDirectory: string): HostState {
  const at = (path: string) =>
    path.startsWith(defaultCache) ? `${cacheDirectory}/${path.slice(defaultCache.length)}` : path;
  return {
    readFile: (path) => readFile(at(path)),
    appendJournal: () => undefined,
    removeDirectory: () => {},
    removeFile: () => {},
    listDirectory: (path) => listDirectory(at(path)),
    stat: (path) => stat(at(path)),
    linkIndex,
    ip,
  };
}

/** The name of a file, or of the directory with it, in a directory; undefined if it is elsewhere. */
function nameIn(directory: string, file: string): string | undefined {
  return file.startsWith(`${directory}/`) ? file.slice(directory.length + 1).split("/")[0] : undefined;
}
