import { constants, existsSync, lstatSync, openSync, readdirSync, readlinkSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname } from "node:path";
import { attempt, closing, listDirectory, readFile, stat } from "../../shared/host/node/files.ts";
import { namespaceMounts } from "../../shared/journal/host-files.ts";
import { isLive } from "../../shared/verbs/gc.ts";
import { readLinks } from "../host/links.ts";
import { keyOf, Memory, type MemoryFile } from "../host/memory.ts";
import { atOnce } from "../live/at-once.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import {
  isLeftByDel,
  isNamespace,
  linkText,
  namespacePath,
  type PathState,
  pathStateAt,
  withNamespace,
} from "../live/namespaces.ts";
import { type Known, knownsIn } from "./known.ts";
import { type AttachmentState, type KernelState, statesOf } from "./state.ts";

/** The network namespaces of this host, as processes and mounts show them. */
export type HostNamespaces = Pick<KernelState, "namespaces" | "pathState">;

/** Reads the network namespaces of all processes, and the mounts of all mount namespaces: a runtime may have its own. */
export async function readNamespaces(proc = "/proc"): Promise<HostNamespaces> {
  const own = inodeAt(`${proc}/self/ns/net`);
  // guard: a namespace in which a process may run
  const isLeft = ({ paths }: Found) => [...paths].every(isLeftByDel);
  const others = [...findNamespaces(proc)].filter(([inode, found]) => inode !== own && !isLeft(found));
  const read = await atOnce(others, availableParallelism(), async ([inode, { paths, doors }]) => {
    return { inode, paths: [...paths], through: await linksThrough(doors, inode) };
  });
  // What ended meanwhile is gone. What is still there, and cannot be entered, may be anyone's.
  const left = read.every(({ through }) => through) ? new Map() : findNamespaces(proc);
  const namespaces = read
    // guard: a namespace that cannot be entered
    .filter(({ inode, through }) => through || left.has(inode))
    .map(({ inode, paths, through }) => ({ inode, paths, links: through?.links }));
  const mounted = new Set(namespaces.flatMap(({ paths }) => paths.map(namespacePath)));
  return {
    namespaces,
    pathState: (path, known) =>
      // guard: a container whose namespace is mounted elsewhere
      !isNamespace(path) && mounted.has(namespacePath(path)) ? "live" : pathStateOf(path, known),
  };
}

// include/linux/proc_ns.h: PROC_PID_INIT_INO, PROC_USER_INIT_INO.
const firstPidNamespace = "pid:[4026531836]";
const firstUserNamespace = "user:[4026531837]";
// net/core/sysctl_net_core.c: only the host's own network namespace has it.
const ownOfHostNetwork = "/proc/sys/net/core/netdev_max_backlog";

/**
 * Says why this process cannot tell which containers live; undefined if it can. A container's process can lack the host's view: it
 * has the host's network, or no directory with the namespaces that results name.
 */
export function viewProblem(
  paths: readonly string[],
  pidNamespace = linkText("/proc/self/ns/pid") ?? "",
  isHostNetwork = existsSync(ownOfHostNetwork),
): string | undefined {
  // guard: nothing is pruned where no process is seen
  if (pidNamespace === "") return "there is no /proc, so every container may look gone; run: mount -t proc proc /proc";
  // guard: nothing is pruned where the host's processes are not seen
  if (pidNamespace === firstPidNamespace) return undefined;
  // The directory of a process goes with it.
  const unseen = paths.map((path) => dirname(path)).find((path) => !path.startsWith("/proc/") && !existsSync(path));
  // guard: nothing is pruned where a result's directory is not seen
  if (!isHostNetwork && unseen === undefined) return undefined;
  const what = isHostNetwork
    ? "runs in the host's network but does not see the host's processes"
    : `does not see ${unseen}, where results have their namespaces`;
  return `the command ${what}, so every container looks gone; run it on the host itself`;
}

/** Whether a path is the network namespace of an attachment now. */
export function pathStateOf(path: string, known?: Known): PathState {
  const state = pathStateAt(path);
  // guard: a live container whose journal fits its namespace
  return state === "live" && known && isReplaced(known, changedMsOf(path)) ? "gone" : state;
}

/** When the mount at a path was made, or the link, if that is later. In /proc the time means nothing. */
function changedMsOf(path: string): number | undefined {
  if (path.startsWith("/proc/")) return undefined;
  const { changedMs = 0 } = new Memory().namespace(path) ?? {};
  return attempt(() => Math.max(changedMs, Math.floor(lstatSync(path).ctimeMs)));
}

/** The results whose journals told that their namespaces were replaced. The first DEL removes the journal. */
const replaced = new Set<string>();

/** Whether the namespace at an attachment's path is newer than that: its journal's are gone, and its result is older. */
export function isReplaced({ result, remembered }: Known, changedMs = 0): boolean {
  // guard: an attachment whose result is newer than its namespace
  if (result && (stat(result.file)?.modifiedMs ?? changedMs) >= changedMs) return false;
  if (result && replaced.has(result.text)) return true;
  const journals = remembered.flatMap(({ journal }) => journal ?? []).filter(({ entries }) => entries.length > 0);
  // guard: an attachment without a journal that tells another namespace
  if (journals.length === 0 || journals.some((journal) => isLive({ facts: new Memory() }, journal))) return false;
  if (result) replaced.add(result.text);
  return true;
}

/** A network namespace, before anyone has looked into it. */
interface Found {
  /** Its paths, each in the mount namespace of some process. */
  readonly paths: Set<string>;
  /** The paths that lead to it from here, or did a moment ago. */
  readonly doors: Set<string>;
}

/**
 * Finds the network namespaces of processes and mounts, by their inodes. The mounts of a process count only if it has the
 * host's user namespace, or this process's: any user can make another one, and mount anything there. `proc` replaces /proc.
 */
export function findNamespaces(proc = "/proc"): ReadonlyMap<number, Found> {
  const found = new Map<number, Found>();
  const add = (inode: number | undefined, path: string, door = path) => {
    if (inode === undefined) return;
    const { paths, doors } = found.get(inode) ?? { paths: new Set(), doors: new Set() };
    found.set(inode, { paths: paths.add(path), doors: doors.add(door) });
  };
  const trusted = new Set([firstUserNamespace, linkText(`${proc}/self/ns/user`)]);
  const seen = new Set<string>();
  for (const pid of readdirSync(proc).filter((name) => /^\d+$/.test(name))) {
    withThreads(proc, pid, (thread, shown) => {
      add(inodeAt(`${thread}/ns/net`), `${shown}/ns/net`);
      // A process sees only the mounts below its root.
      const view = `${linkText(`${thread}/ns/mnt`)} ${linkText(`${thread}/root`)}`;
      // Nobody needs to read what is not believed.
      if (seen.has(view) || !trusted.has(linkText(`${thread}/ns/user`))) return;
      const mounts = readFile(`${thread}/mountinfo`);
      // No process comes back from a user namespace that it made. One that ended has told nothing.
      // guard: no mount of a user's own namespace is believed
      if (mounts === undefined || !trusted.has(linkText(`${thread}/ns/user`))) return;
      seen.add(view);
      for (const [id, path] of namespaceMounts(mounts)) add(inodeIn(id), path, `${shown}/root${path}`);
    });
  }
  return found;
}

/**
 * Calls a function with a path of a process that leads to no later process with the same id, and with its path in /proc. The
 * process shows nothing if its first thread has ended: then with those of its other threads.
 */
function withThreads(proc: string, pid: string, use: (path: string, shown: string) => void): void {
  const directory = attempt(() => openSync(`${proc}/${pid}`, constants.O_RDONLY | constants.O_DIRECTORY));
  if (directory === undefined) return;
  closing(directory, () => {
    const process = `/proc/self/fd/${directory}`;
    const isShown = inodeAt(`${process}/ns/net`) !== undefined;
    const threads = isShown ? [""] : (listDirectory(`${process}/task`) ?? []).map((id) => `/task/${id}`);
    for (const thread of threads) use(`${process}${thread}`, `/proc/${pid}${thread}`);
  });
}

// A process may have ended meanwhile, and others may be in its namespace.
async function linksThrough(doors: Iterable<string>, inode: number) {
  for (const door of doors) {
    const read = await withNamespace(door, inode, async (path) => ({ links: await readLinks(path) }));
    if (read) return read;
  }
  return undefined;
}

/** The inode of a network namespace; 0, which none has, if this process may not look at it; undefined if there is none. */
function inodeAt(path: string): number | undefined {
  try {
    return inodeIn(readlinkSync(path));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES" ? 0 : undefined;
  }
}

function inodeIn(text: string): number | undefined {
  const [, inode] = /^net:\[(\d+)\]$/.exec(text) ?? [];
  return inode === undefined ? undefined : Number(inode);
}

/**
 * Returns a function that says why an attachment is not gone although its path leads to no namespace; it returns undefined if the
 * attachment is gone. The first call looks into the namespaces of the host.
 */
export function homesAmong(
  { all, memories }: { readonly all: readonly CachedAttachment[]; readonly memories: readonly MemoryFile[] },
  namespaces = readNamespaces,
): (attachment: CachedAttachment) => Promise<string | undefined> {
  let states: Promise<ReadonlyMap<string, AttachmentState>> | undefined;
  const look = async () => {
    const host = await namespaces();
    // A namespace that cannot be read is no sign of life.
    const read = host.namespaces.map((one) => ({ ...one, links: one.links ?? [] }));
    const bootId = new Memory().moment()?.bootId;
    const found = statesOf(knownsIn(all, memories), {
      ...host,
      namespaces: read,
      hostEnds: [],
      bootId,
      unreadable: [],
    });
    return new Map([...found].map(([known, state]) => [keyOf(known), state]));
  };
  return async (attachment) => {
    if (attachment.netns === "") return undefined;
    states ??= look();
    const state = (await states).get(keyOf(attachment));
    return state?.is === "live" ? "it is there for another process; run the command on the host itself" : state?.why;
  };
}
