import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync } from "node:fs";
import { dirname } from "node:path";
import { attempt, listDirectory, readFile, removeDirectory } from "../../shared/host/node/files.ts";
import { journalDirectory } from "../../shared/journal/journal.ts";
import { unlink } from "../files/atomic-write.ts";
import { Memory } from "../host/memory.ts";
import { runProgram } from "../host/programs.ts";
import { type PluginRun, runPlugin } from "../live/run-plugin.ts";
import { reasonOf } from "../terminal.ts";
import { detach, type FailedDel, undoRemembered } from "./detach.ts";
import { addressesInUse, type Finding, findingsIn, isByAddress, type Survey } from "./findings.ts";
import { pathStateOf } from "./host-namespaces.ts";
import { restoreText } from "./iptables.ts";
import { fileName, isNamedIn, type Known, kinds, namespacesOf, type Removal, type Thing } from "./known.ts";
import { removalCommands } from "./nftables.ts";
import type { Row } from "./report.ts";

/** How long another process may keep the lock of iptables, or host-local's of a directory, in seconds. */
const patience = 10;

/** Why something of a container stays that was gone, and no longer is. */
export const cameBack = "its container came back meanwhile";

/** Removes a thing, if its attachment is still gone. Returns why it stays; undefined if it is removed. */
export async function remove(
  { known, containerId, thing }: Finding,
  results: string,
  isTaken: (address: string) => boolean,
): Promise<string | undefined> {
  const isStillGone = () => (known ? isGone(known) : isUnnamed(containerId, results));
  // guard: what a container has that came back meanwhile
  if (!isStillGone()) return cameBack;
  // guard: the rules of an address that another container has now
  if (isByAddress(thing) && thing.addresses.some(isTaken)) return "another container has its address now";
  const { removal } = thing;
  if (removal.by !== "unlink" || removal.lock === undefined) return removeNow(removal);
  // guard: a lease whose container came back while another process held the lock
  return withLock(removal.lock, () => (isStillGone() ? removeNow(removal) : cameBack));
}

/** Whether an attachment is as it was read, and its namespace is still gone. */
export function isGone(known: Known): boolean {
  const { result, remembered } = known;
  // guard: an attachment whose namespace is there again
  if (isBack(known)) return false;
  // Its DEL removes the journal. A new ADD writes another one.
  // guard: an attachment that a new ADD has written another journal for
  if (remembered.some(({ file, text }) => ![undefined, text].includes(readFile(file)))) return false;
  // guard: an attachment that a new ADD has written another result for
  return result === undefined || readFile(result.file) === result.text;
}

/** Whether an attachment's namespace is there again. */
export function isBack(known: Known): boolean {
  // guard: a namespace that may be there
  return namespacesOf(known).some((path) => pathStateOf(path, known) !== "gone");
}

// A new attachment of the container has a file in one of the directories.
function isUnnamed(containerId: string | undefined, results: string): boolean {
  // guard: a thing that names no container
  if (containerId === undefined) return false;
  const names = listDirectory(results);
  // guard: a container that has got a journal or a result meanwhile
  return !new Memory().knows(containerId) && names?.every((name) => !isNamedIn(name, containerId)) === true;
}

function removeNow(removal: Removal): string | undefined {
  switch (removal.by) {
    case "unlink":
      return removeFile(removal.file, removal.text);
    case "iptables":
      return problemOf(removal.restore, ["--noflush", `--wait=${patience}`], restoreText(removal.table, removal.lines));
    case "nft": {
      // Handles are those of this moment: the table may have been made again since.
      const { stdout } = runProgram("nft", ["--json", "list", ...removal.read]);
      const commands = removalCommands(stdout, removal.read, removal.name);
      return commands === "" ? undefined : problemOf("nft", ["-f", "-"], commands);
    }
    case "ip":
      return problemOf("ip", ["link", "delete", removal.link, "type", "ifb"]);
    default:
      return removal satisfies never;
  }
}

function removeFile(file: string, text: string): string | undefined {
  // guard: a file that changed since it was read
  if (readFile(file) !== text) return readFile(file) === undefined ? undefined : "it changed meanwhile";
  try {
    unlink(file);
    // The directory of a container's journals goes with the last one.
    // guard: any directory but that of a container's journals
    if (dirname(dirname(file)) === journalDirectory) removeDirectory(dirname(file));
    return undefined;
  } catch (error) {
    return reasonOf(error as NodeJS.ErrnoException);
  }
}

function problemOf(program: string, args: readonly string[], input = ""): string | undefined {
  const { passed, problem } = runProgram(program, args, input);
  return passed ? undefined : problem;
}

/**
 * Calls a function while this process has host-local's lock of a lease directory (flock(2)). Returns what it returns, or that
 * another process keeps the lock, or that flock(1) is missing. The lock ends with this process, whatever ends it.
 */
async function withLock(lock: string, act: () => string | undefined): Promise<string | undefined> {
  const noLock = `host-local's lock cannot be had: ${lock}`;
  // Whoever can open the lock can keep it, so only root may: flock(1) would make one for all.
  attempt(() => closeSync(openSync(lock, constants.O_CREAT, 0o600)));
  // cat ends when this process does, because its input is then closed.
  const args = ["--wait", String(patience), "--", lock, "sh", "-c", "echo; exec cat"];
  const holder = spawn("flock", args, { cwd: dirname(lock), stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise<void>((resolve) => {
    holder.on("error", () => resolve());
    holder.on("close", () => resolve());
  });
  // Without a free file descriptor, Node makes no pipes.
  if (!holder.stdout) return ended.then(() => noLock);
  const isHeld = await Promise.race([once(holder.stdout, "data").then(() => true), ended.then(() => false)]);
  try {
    // guard: a lease that host-local may be changing
    return isHeld ? act() : noLock;
  } finally {
    holder.stdin.on("error", () => {});
    holder.stdin.end();
    await ended;
  }
}

/** How to prune a host. */
export interface PruneOptions {
  /** Reads the host again. */
  readonly look: () => Promise<Survey>;
  /** Whether a finding is one that the command is about. */
  readonly isWanted: (finding: Finding) => boolean;
  readonly cniPath: readonly string[];
  /** How long a plugin may take. */
  readonly seconds: number;
  /** The directory of libcni's results. */
  readonly results: string;
}

/**
 * Removes what belongs to gone attachments: DEL first, then what DEL left. It looks at the host again after each step. `failed` are
 * the DELs that failed, and `problems` says why some links or packet rules could not be read. They may be left.
 */
export async function prune(before: Survey, options: PruneOptions) {
  const first = findingsIn(before).filter(options.isWanted);
  const failed = await detachAll(before, first, options);
  const now = await options.look();
  const second = findingsIn(now).filter(options.isWanted);
  const isTaken = takenBySomeone(now, second);
  const reasons = await removeAll(second, reasonsToKeep(failed), { ...options, isTaken });
  const after = await options.look();
  const third = new Map(findingsIn(after).map((finding) => [idOf(finding.thing), finding]));
  const isThere = new Set(after.things.map(idOf));
  const all = new Map([...first, ...second].map((finding) => [idOf(finding.thing), finding]));
  const rows = [...all].map(([id, finding]): Row => {
    const left = third.get(id);
    // guard: nothing is called pruned that is still there
    if (!isThere.has(id)) return { finding, fate: "pruned", why: undefined };
    const why = reasons.get(id) ?? left?.why ?? (left ? "it is still there" : cameBack);
    return { finding, fate: "left", why };
  });
  return { rows, failed, problems: [now, after].flatMap((survey) => survey.problems) };
}

// Several containers have rules in one chain.
function idOf({ where, name }: Thing): string {
  return `${where} ${name}`;
}

async function detachAll(before: Survey, findings: readonly Finding[], options: PruneOptions) {
  // guard: no DEL for an attachment that may live
  const gone = findings.flatMap(({ known, why }) => (known && why === undefined ? known : []));
  const inUse = addressesInUse(before, findings);
  const isTaken = takenBySomeone(before, findings);
  const failed: FailedDel[] = [];
  for (const known of new Set(gone)) {
    const { cniPath, seconds } = options;
    const ask = (run: PluginRun) => runPlugin(run, seconds);
    // guard: the packet rules of an address that another container has
    const isInUse = (address: string) => inUse.has(address) || isTaken(address);
    failed.push(...(await detach(known, { cniPath, isInUse, isGone: () => isGone(known), ask })));
    // guard: what a container has that came back during the DELs
    if (!isBack(known)) failed.push(...undoRemembered(known, cniPath));
  }
  return failed;
}

// A run takes long. Meanwhile a new container can get the address of a gone one.
function takenBySomeone({ holdersOf }: Survey, findings: readonly Finding[]): (address: string) => boolean {
  const gone = new Set(findings.filter(({ why }) => why === undefined).map(({ containerId }) => containerId));
  // guard: an address that a new container got meanwhile
  return (address) => holdersOf(address).some((containerId) => !gone.has(containerId));
}

/** Why the files of an attachment stay, by `fileName`: only its plugin knows what it made. */
function reasonsToKeep(failed: readonly FailedDel[]): Map<string, string> {
  const reasons = failed
    // guard: the files that tell what an unknown plugin left
    .filter(({ isKnown }) => !isKnown)
    .map(({ known, plugin, error }) => [
      fileName(known),
      `only ${plugin} knows what it made, and its DEL failed: ${error}`,
    ]);
  return new Map(reasons as [string, string][]);
}

// The files come last, and stay if anything else does: the next run then knows whose that is.
async function removeAll(
  findings: readonly Finding[],
  keep: Map<string, string>,
  { results, isTaken }: PruneOptions & { readonly isTaken: (address: string) => boolean },
): Promise<ReadonlyMap<string, string>> {
  const reasons = new Map<string, string>();
  for (const kind of kinds) {
    for (const finding of findings.filter(({ thing }) => thing.kind === kind)) {
      const reason = finding.why ?? keep.get(finding.thing.name) ?? (await remove(finding, results, isTaken));
      if (reason === undefined) continue;
      reasons.set(idOf(finding.thing), reason);
      const files = finding.known && fileName(finding.known);
      if (files !== undefined && !keep.has(files)) keep.set(files, `something of it is left: ${finding.thing.where}`);
    }
  }
  return reasons;
}
