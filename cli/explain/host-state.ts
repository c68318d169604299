import type { Host } from "../../shared/host/host.ts";
import { listDirectory, readFile, stat } from "../../shared/host/node/files.ts";
import { ip } from "../../shared/host/node/ip.ts";
import { linkIndex } from "../../shared/host/node/link-index.ts";
import type { CniResult } from "../../shared/protocol/result.ts";
import type { Call } from "../live/libcni.ts";

/** What a rehearsal reads of a host. */
type HostView = Pick<Host, "readFile" | "listDirectory" | "stat" | "linkIndex" | "ip">;

/** The part of a host that a wrapper's plan depends on. */
export interface HostState extends HostView, Pick<Host, "appendJournal" | "removeFile" | "removeDirectory"> {
  /** Notes the result of a plugin that passed. */
  note(call: Call, result: CniResult): void;
}

const defaultCache = "/var/lib/cni/";
const identity = { device: 1, inode: 1, size: 0, modifiedMs: 0, changedMs: 0 };

/** Returns a host on which nothing is written: it keeps the wrappers' journals in memory. */
export function stateOver(view: HostView, note: HostState["note"] = () => {}): HostState {
  const written = new Map<string, string | undefined>();
  const read = (path: string) => (written.has(path) ? written.get(path) : view.readFile(path));
  return {
    ...view,
    note,
    readFile: read,
    appendJournal(path, text, { makesFile }) {
      const old = read(path);
      if (old === undefined && !makesFile) return "ENOENT";
      written.set(path, `${old ?? ""}${text}`);
      return undefined;
    },
    removeFile: (path) => void written.set(path, undefined),
    removeDirectory: () => {},
    listDirectory(path) {
      const added = [...written.keys()].flatMap((file) => nameIn(path, file) ?? []);
      return [...new Set([...view.listDirectory(path), ...added])];
    },
    stat(path) {
      const text = written.get(path);
      return text === undefined ? view.stat(path) : { ...identity, size: text.length, modifiedMs: Date.now() };
    },
    // Without a namespace, it would make one.
    ip: (args, commands, netns) => (netns === undefined ? undefined : view.ip(args, commands, netns)),
  };
}

/** Returns a host with one container and no files. It has the interfaces that plugins make. */
export function emptyState(netns: string): HostState {
  const files = new Map([
    ["/proc/sys/kernel/random/boot_id", "example"],
    ["/proc/uptime", "1.00 1.00"],
  ]);
  const links: ReturnType<typeof linkOf>[] = [];
  const view: HostView = {
    readFile: (path) => files.get(path),
    listDirectory: () => [],
    stat: (path) => (path === netns ? { ...identity, device: 4 } : undefined),
    linkIndex: (_, name) => links.findIndex(({ ifname }) => ifname === name) + 1,
    ip: () => `[]\n[]\n${JSON.stringify(links)}\n`,
  };
  return stateOver(view, ({ environment: { CNI_COMMAND, CNI_IFNAME = "" } }, result) => {
    const isKnown = links.some(({ ifname }) => ifname === CNI_IFNAME);
    if (CNI_COMMAND === "ADD" && !isKnown) links.push(linkOf(CNI_IFNAME, result));
  });
}

/** Returns this host, with libcni's cache and the journals in a directory. */
export function presentState(cacheDirectory: string): HostState {
  const at = (path: string) =>
    path.startsWith(defaultCache) ? `${cacheDirectory}/${path.slice(defaultCache.length)}` : path;
  return stateOver({
    readFile: (path) => readFile(at(path)),
    listDirectory: (path) => listDirectory(at(path)),
    stat: (path) => stat(at(path)),
    linkIndex,
    ip,
  });
}

/** A link as `ip -json address` prints it, as far as the wrappers read it. */
function linkOf(ifname: string, { ips }: CniResult) {
  const addresses = (ips ?? []).map(({ address }) => address.split("/"));
  return { ifname, addr_info: addresses.map(([local = "", length]) => ({ local, prefixlen: Number(length) })) };
}

/** The name of a file, or of the directory with it, in a directory; undefined if it is elsewhere. */
function nameIn(directory: string, file: string): string | undefined {
  return file.startsWith(`${directory}/`) ? file.slice(directory.length + 1).split("/")[0] : undefined;
}
