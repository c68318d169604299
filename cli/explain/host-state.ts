import type { Host } from "../../shared/host/host.ts";
import { listDirectory, readFile, stat } from "../../shared/host/node/files.ts";
import { ip, linkIndex } from "../../shared/host/node/ip.ts";
import { routersAnswer } from "../model/iproute.ts";
import type { ProgramView } from "../model/view.ts";

/** What a rehearsal reads of a host. */
type Readable = Pick<Host, "readFile" | "listDirectory" | "stat" | "linkIndex" | "ip">;

/** The part of a host that a wrapper's plan depends on. */
export type HostState = Omit<ProgramView, "appendLine">;

const defaultCache = "/var/lib/cni/";
const identity = { device: 1, inode: 1, size: 0, modifiedMs: 0, changedMs: 0 };

/** Returns a host on which nothing is written: it keeps the wrappers' journals in memory. */
export function stateOver(view: Readable): HostState {
  const written = new Map<string, string | undefined>();
  const read = (path: string) => (written.has(path) ? written.get(path) : view.readFile(path));
  return {
    ...view,
    now: Date.now,
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
      // The name of each file in it, or of the directory below it that has the file.
      const within = [...written.keys()].filter((file) => file.startsWith(`${path}/`));
      const added = within.flatMap((file) => file.slice(path.length + 1).split("/")[0] ?? []);
      return [...new Set([...(view.listDirectory(path) ?? []), ...added])];
    },
    stat(path) {
      const text = written.get(path);
      return text === undefined ? view.stat(path) : { ...identity, size: text.length, modifiedMs: Date.now() };
    },
    // Without a namespace, it would make one.
    ip: (args, commands, netns) =>
      routersAnswer(args) ?? (netns === undefined ? undefined : view.ip(args, commands, netns)),
  };
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
