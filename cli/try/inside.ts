import { accessSync, constants, readlinkSync, statSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { attempt, readFile } from "../../shared/host/node/files.ts";
import { type Link, readLinks } from "../host/links.ts";
import { runProgram } from "../host/programs.ts";
import { parseListFile } from "../lists/list-file.ts";
import { demandNetworkIn } from "../live/networks.ts";
import { Trouble, withPath } from "../terminal.ts";
import { courseOf, type Step, type Trial } from "./course.ts";
import { addedTo, shapeOf, type Thing, takeSnapshot, textOf } from "./snapshot.ts";
import { isOfKernel, mountsIn, ownMounts } from "./stage.ts";

/** What the process on the stage is asked for. */
export interface Task extends Omit<Trial, "list"> {
  readonly path: string;
  readonly text: string;
  readonly commands: readonly string[];
  /** The namespaces of the process outside. */
  readonly outside: readonly string[];
}

/** What happened on the stage. */
export interface StageOutcome {
  readonly steps: readonly Step[];
  /** What a container leaves after its DEL. */
  readonly left: readonly string[];
  /** What the first container's plugins made, and no other container's made again. */
  readonly stays: readonly Thing[];
  /** Why some of it cannot be read. */
  readonly problems: readonly string[];
}

/** The namespaces of this process that the stage must not share. */
export function ownNamespaces(): readonly string[] {
  return ["net", "mnt", "pid", "ipc", "uts"].map((kind) => {
    const path = `/proc/self/ns/${kind}`;
    return withPath(path, () => readlinkSync(path));
  });
}

/** Tries a list. Throws Trouble, before it runs anything, if this process is not on a stage. */
export async function tryInside(task: Task): Promise<StageOutcome> {
  demandStage(task);
  const { passed, problem } = runProgram("ip", ["-batch", "-"], ["link set lo up", ...task.commands, ""].join("\n"));
  // guard: nothing is tried on a stage that lacks the host's interfaces
  if (!passed) throw new Trouble(problem);
  const { list } = demandNetworkIn(parseListFile(task.path, task.text));
  const before = await takeSnapshot();
  const { steps, left } = await courseOf({ ...task, list });
  await untilNamespacesAreGone();
  const after = await takeSnapshot();
  const shapes = new Set(left.map(shapeOf));
  const stays = addedTo(before, after).filter((thing) => !shapes.has(shapeOf(thing)));
  return { steps, left: left.map(textOf), stays, problems: after.problems };
}

function demandStage({ outside }: Task): void {
  // guard: no plugin runs in the host's namespaces
  const shared = ownNamespaces().some((own) => outside.includes(own));
  // guard: no plugin runs in the host's namespaces
  if (shared || outside.length === 0) throw new Trouble("--inside: this process shares a namespace with the host");
  const mounts = mountsIn(readFile("/proc/self/mountinfo") ?? "");
  const devices = new Set(mounts.filter(({ source }) => source === ownMounts).map(({ path }) => deviceAt(path)));
  // guard: no plugin writes to a file of the host
  const open = mounts.find(({ path }) => !isOfKernel(path) && !devices.has(deviceAt(path)) && isWritable(path));
  if (open) throw new Trouble(`${open.path}: it cannot be made read-only, so nothing was tried`);
}

function deviceAt(path: string): number | undefined {
  return attempt(() => statSync(path).dev);
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch (error) {
    // A mount can be hidden by another one.
    // guard: a directory that can be written is not called read-only
    return !["EROFS", "ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
  }
}

// The kernel removes the interfaces of a deleted namespace a moment later.
async function untilNamespacesAreGone(): Promise<void> {
  const leadsElsewhere = ({ link_netnsid, linkinfo }: Link) =>
    link_netnsid !== undefined && linkinfo?.info_kind === "veth";
  for (let tries = 0; tries < 50 && (await readLinks())?.some(leadsElsewhere); tries++) await setTimeout(20);
}
