import { existsSync, readdirSync, readlinkSync, statfsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { attempt, readFile, stat } from "../../shared/host/node/files.ts";
import { namespaceMounts } from "../../shared/journal/host-files.ts";
import { isLive } from "../../shared/verbs/gc.ts";
import { type Link, readLinks } from "../host/links.ts";
import { Memory } from "../host/memory.ts";
import { atOnce } from "../live/at-once.ts";
import { isNamespace, namespacePath } from "../live/namespaces.ts";
import type { Known } from "./known.ts";
import type { Namespace, PathState } from "./state.ts";

/** The network namespaces of this host, as processes and mounts show them. */
export interface HostNamespaces {
  readonly namespaces: readonly Namespace[];
  readonly pathState: (path: string, known?: Known) => PathState;
}

/** Reads the network namespaces of all processes, and the mounts of all mount namespaces: a runtime may have its own. */
export async function readNamespaces(): Promise<HostNamespaces> {
  const found = namespacesOfProcesses();
  const own = linkText("/proc/self/ns/net");
  const others = [...found].filter(([id]) => id !== own);
  const namespaces = await atOnce(others, availableParallelism(), async ([, { paths, doors }]) => {
    return { paths, links: await linksOf(doors) };
  });
  const mounted = new Set(namespaces.flatMap(({ paths }) => paths.map(namespacePath)));
  return {
    // A process that ended meanwhile took its namespace along.
    namespaces: namespaces.filter(({ links, paths }) => links !== undefined || paths.some(isNamespace)),
    pathState: (path, known) =>
      !isNamespace(path) && mounted.has(namespacePath(path)) ? "live" : pathStateOf(path, known),
  };
}

// include/linux/proc_ns.h: PROC_PID_INIT_INO.
const firstPidNamespace = "pid:[4026531836]";
// net/core/sysctl_net_core.c: only the host's own network namespace has it.
const ownOfHostNetwork = "/proc/sys/net/core/netdev_max_backlog";

/** Says why this process cannot tell which containers live; undefined if it can. A container's process can lack the host's view. */
export function viewProblem(
  pidNamespace = linkText("/proc/self/ns/pid"),
  isHostNetwork = existsSync(ownOfHostNetwork),
): string | undefined {
  if (!isHostNetwork || pidNamespace === firstPidNamespace) return undefined;
  return "prune runs in the host's network but does not see the host's processes, so every container looks gone; run it on the host itself";
}

/** Whether a path is a network namespace now. A path that leads nowhere, or to another file, is what a reboot or an unmount leaves. */
export function pathStateOf(path: string, known?: Known): PathState {
  if (isNamespace(path)) return isReusedPid(path) || (known && isReplaced(path, known)) ? "gone" : "live";
  try {
    statfsSync(path);
    return "gone";
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    return ["ENOENT", "ENOTDIR"].includes(code) ? "gone" : "unreadable";
  }
}

// nerdctl and ctr name a namespace by a process. A later process of the host can have the same id.
function isReusedPid(path: string): boolean {
  return /^\/proc\/\d+\/ns\/net$/.test(path) && linkText(path) === linkText("/proc/self/ns/net");
}

/** The results whose journals told that their namespaces were replaced. The first DEL removes the journal. */
const replaced = new Set<string>();

/** Whether the namespace at a path is newer than an attachment: its journal's are gone, and its result is older. */
function isReplaced(path: string, { result, remembered }: Known): boolean {
  const facts = new Memory();
  const changedMs = facts.namespace(path)?.changedMs ?? 0;
  if (result && (stat(result.file)?.modifiedMs ?? changedMs) >= changedMs) return false;
  if (result && replaced.has(result.text)) return true;
  const journals = remembered.flatMap(({ journal }) => journal ?? []).filter(({ entries }) => entries.length > 0);
  if (journals.length === 0 || journals.some((journal) => isLive({ facts }, journal))) return false;
  if (result) replaced.add(result.text);
  return true;
}

interface Found {
  readonly paths: readonly string[];
  /** The paths that lead to it from here. */
  readonly doors: readonly string[];
}

function namespacesOfProcesses(): ReadonlyMap<string, Found> {
  const found = new Map<string, Found>();
  const add = (id: string | undefined, path: string, door: string) => {
    if (id === undefined) return;
    const { paths, doors } = found.get(id) ?? { paths: [], doors: [] };
    found.set(id, { paths: paths.includes(path) ? paths : [path, ...paths], doors: [door, ...doors] });
  };
  const mountNamespaces = new Set<string>();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    add(linkText(`/proc/${pid}/ns/net`), `/proc/${pid}/ns/net`, `/proc/${pid}/ns/net`);
    const mount = linkText(`/proc/${pid}/ns/mnt`);
    if (mount === undefined || mountNamespaces.has(mount)) continue;
    mountNamespaces.add(mount);
    for (const [id, path] of namespaceMounts(readFile(`/proc/${pid}/mountinfo`) ?? ""))
      add(id, path, `/proc/${pid}/root${path}`);
  }
  return found;
}

// A process may have ended meanwhile, and others may be in its namespace.
async function linksOf([door, ...others]: readonly string[]): Promise<readonly Link[] | undefined> {
  if (door === undefined) return undefined;
  return (await readLinks(door)) ?? linksOf(others.filter(isNamespace));
}

function linkText(path: string): string | undefined {
  return attempt(() => readlinkSync(path));
}
