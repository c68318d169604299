import type { Host } from "../../shared/host/host.ts";
import { listDirectory, readFile, stat } from "../../shared/host/node/files.ts";
import { ip } from "../../shared/host/node/ip.ts";
import { linkIndex } from "../../shared/host/node/link-index.ts";
import type { CniResult } from "../../shared/protocol/result.ts";
import type { Call } from "../live/libcni.ts";

/** The part of a host that a wrapper's plan depends on. */
export interface HostState
  extends Pick<
    Host,
    "readFile" | "appendJournal" | "removeFile" | "removeDirectory" | "listDirectory" | "stat" | "linkIndex" | "ip"
  > {
  /** Notes the result of a plugin that passed. */
  note(call: Call, result: CniResult): void;
}

const bootIdFile = "/proc/sys/kernel/random/boot_id";
const defaultCache = "/var/lib/cni/";
const identity = { device: 1, inode: 1, size: 0, modifiedMs: 0, changedMs: 0 };

/** Returns a host with one container and no files. It keeps the journal that the wrappers write, and the interfaces that plugins make. */
export function emptyState(netns: string): HostState {
  const files = new Map([
    [bootIdFile, "example"],
    ["/proc/uptime", "1.00 1.00"],
  ]);
  const links: Link[] = [];
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
    linkIndex: (_, name) => links.findIndex(({ ifname }) => ifname === name) + 1,
    note({ environment: { CNI_COMMAND, CNI_IFNAME = "" } }, result) {
      const isKnown = links.some(({ ifname }) => ifname === CNI_IFNAME);
      if (CNI_COMMAND === "ADD" && !isKnown) links.push(linkOf(CNI_IFNAME, result));
    },
    ip: () => `[]\n[]\n${JSON.stringify(links)}\n`,
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
    note: () => {},
    // Without a namespace, it would make one.
    ip: (args, commands, netns) => (netns === undefined ? undefined : ip(args, commands, netns)),
  };
}

/** A link as `ip -json address` prints it, as far as the wrappers read it. */
interface Link {
  readonly ifname: string;
  readonly addr_info: readonly { readonly local: string; readonly prefixlen: number }[];
}

function linkOf(ifname: string, { ips }: CniResult): Link {
  const addresses = (ips ?? []).map(({ address }) => address.split("/"));
  return { ifname, addr_info: addresses.map(([local = "", length]) => ({ local, prefixlen: Number(length) })) };
}

/** The name of a file, or of the directory with it, in a directory; undefined if it is elsewhere. */
function nameIn(directory: string, file: string): string | undefined {
  return file.startsWith(`${directory}/`) ? file.slice(directory.length + 1).split("/")[0] : undefined;
}
