import { accessSync, constants, readlinkSync, statSync } from "node:fs";
import { attempt, readFile } from "../../shared/host/node/files.ts";
import { type Link, readLinks } from "../host/links.ts";
import { stateDirectory } from "../host/memory.ts";
import { runProgram } from "../host/programs.ts";
import type { List } from "../lists/list.ts";
import { parseListFile } from "../lists/list-file.ts";
import { networkIn } from "../live/networks.ts";
import { surveyOf } from "../prune/survey.ts";
import { Trouble } from "../trouble.ts";
import { courseOf, isTried, type Step, type Trial } from "./course.ts";
import { isOfKernel, mountsIn, ownMounts } from "./stage.ts";

/** What the process on the stage is asked for. */
export interface Request extends Omit<Trial, "list"> {
  readonly path: string;
  readonly text: string;
  readonly commands: readonly string[];
  /** The namespaces of the process outside. */
  readonly outside: readonly string[];
}

/** What happened on the stage. */
export interface Happened {
  readonly steps: readonly Step[];
  /** What belongs to a container and is still there after DEL. */
  readonly left: readonly string[];
  /** The links of the host that the plugins made and keep. */
  readonly stays: readonly string[];
  /** Why some of it cannot be read. */
  readonly problems: readonly string[];
}

/** The namespaces of this process that the stage must not share. */
export function ownNamespaces(): readonly string[] {
  return ["net", "mnt", "pid", "ipc", "uts"].map((kind) => readlinkSync(`/proc/self/ns/${kind}`));
}

/** Tries a list. Throws Trouble, before it runs anything, if this process is not on a stage. */
export async function tryInside(request: Request): Promise<Happened> {
  demandStage(request);
  const { passed, problem } = runProgram("ip", ["-batch", "-"], ["link set lo up", ...request.commands, ""].join("\n"));
  if (!passed) throw new Trouble(problem);
  const list = networkIn(parseListFile(request.path, request.text))?.list;
  if (list === undefined) throw new Trouble(`${request.path}: it is not a list with a name`);
  const before = (await readLinks()) ?? [];
  const steps = await courseOf({ ...request, list });
  return { steps, ...(await remainsOf(list, before)) };
}

function demandStage({ outside }: Request): void {
  const shared = ownNamespaces().some((own) => outside.includes(own));
  if (shared || outside.length === 0) throw new Trouble("--inside: this process shares a namespace with the host");
  const mounts = mountsIn(readFile("/proc/self/mountinfo") ?? "");
  const devices = new Set(mounts.filter(({ source }) => source === ownMounts).map(({ path }) => deviceAt(path)));
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
    return !["EROFS", "ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
  }
}

async function remainsOf(list: List, before: readonly Link[]): Promise<Omit<Happened, "steps">> {
  const unreadable: string[] = [];
  const view = { namespaces: [], pathState: () => "gone" as const };
  const places = { cacheDirectory: stateDirectory, lists: [list] };
  const { things, problems } = await surveyOf(places, view, (file, reason) => unreadable.push(`${file}: ${reason}`));
  const made = (await linksAfter()).filter(({ ifname }) => !before.some((link) => link.ifname === ifname));
  return {
    // A directory of leases can have those of other networks.
    left: things
      .filter(({ kind, containerId = "" }) => kind !== "lease" || isTried(containerId))
      .map(({ kind, where }) => `${kind} ${where}`),
    stays: made.map(({ ifname }) => ifname).filter((name) => !things.some(({ where }) => where === name)),
    problems: [...problems, ...unreadable],
  };
}

// The kernel removes the interfaces of a deleted namespace a moment later.
async function linksAfter(): Promise<readonly Link[]> {
  for (let tries = 0; ; tries++) {
    const links = (await readLinks()) ?? [];
    if (
      tries === 50 ||
      !links.some(({ link_netnsid, linkinfo }) => link_netnsid !== undefined && linkinfo?.info_kind === "veth")
    )
      return links;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
