import { spawnSync } from "node:child_process";
import { closeSync, openSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Jq } from "../../support/later-jq.ts";
import { type Case, type Recorded, sandbox, variables, wrapperBlocks } from "./cases.ts";
import type { Command } from "./measure.ts";
import { isOfBase } from "./names.ts";

/** The kinds of peers: the wrapper in its flavors, the alternatives, and programs that show the lower limit. */
export type Kind = "slim" | "node" | "alone" | "floor" | "emptySea" | "script";

/** One executable that runs a case, with the variables and the stdin of a runtime. */
export interface Peer extends Command {
  readonly name: string;
  readonly kind: Kind;
}

/** These peers do the wrapper's work, so their actions must be equal. The others show what a start costs. */
export const working: readonly Kind[] = ["slim", "node", "script"];

/** Whether the peer runs the timed plugin, or the recorder, which writes the plugin's request to a file. */
export type Purpose = "timed" | "recorded";

/** All files of the benchmark, in a temporary directory that is removed when this process ends. */
export interface Stage {
  readonly directory: string;
  readonly programs: { readonly stopwatch: string; readonly footprint: string };
  /** The plugin that does nothing. */
  readonly delegate: string;
  readonly peers: readonly StagedPeer[];
  /** What is missing here, and why. */
  readonly missing: readonly string[];
}

export interface StagedPeer {
  readonly name: string;
  readonly kind: Kind;
  /** The size of the files that it needs on a host. In bytes. */
  readonly size: number;
  /** The executable, if it is a wrapper. */
  readonly file?: string;
  /** Its jq, if it is a script. */
  readonly jq?: Jq;
}

/** The executables that run a case. */
export function peersOf(stage: Stage, one: Case, purpose: Purpose): readonly Peer[] {
  const { plugin, verb } = one;
  const directory = path.join(stage.directory, purpose);
  const env = { ...variables, CNI_COMMAND: verb, CNI_PATH: directory };
  const requests = writeRequests(stage, one);
  const inStage = (...names: string[]) => path.join(stage.directory, ...names);
  const delegate = path.join(directory, plugin);
  return stage.peers
    .filter(({ kind }) => verb !== "" || (kind !== "floor" && kind !== "alone"))
    .map(({ name, kind }): Peer => {
      const own = { name, kind, env, stdin: requests.own, records: recordsOf(stage, one.recorded, name) };
      switch (kind) {
        case "slim":
        case "node":
          return { ...own, argv: [inStage(name, `${plugin}-wrapper`)], stdin: requests.wrapper };
        case "alone":
          return { ...own, argv: [delegate] };
        case "emptySea":
          return { ...own, argv: [inStage("empty")] };
        case "floor":
          return { ...own, argv: [inStage(name), delegate] };
        case "script":
          return { ...own, argv: [path.join(directory, name, plugin)] };
        default:
          return kind satisfies never;
      }
    });
}

/** Writes a case's request into files: one for the plugin, one for the wrapper. */
function writeRequests(
  { directory }: Stage,
  { title, verb, plugin, request }: Case,
): Record<"own" | "wrapper", string> {
  const file = (suffix: string) => path.join(directory, `${title}-${suffix}.json`);
  // The request of VERSION is not a plugin configuration.
  const typed = (type: string, more: object) => (verb === "VERSION" ? request : { ...request, type, ...more });
  const wrapper = wrapperBlocks[plugin];
  writeFileSync(file("own"), JSON.stringify(typed(plugin, {})));
  writeFileSync(file("wrapper"), JSON.stringify(typed(`${plugin}-wrapper`, { wrapper })));
  return { own: file("own"), wrapper: file("wrapper") };
}

/** The directory of the wrappers' records. */
export const recordDirectory = "/var/lib/cni/wrappers";

/**
 * A command line in a private mount namespace. Calls may write to `/var/lib` there, and the host does not change. The
 * wrappers' records are those of `records`, if it is given.
 */
export function inPrivateMounts(argv: readonly string[], records = ""): [string, string[]] {
  const prepared = `mount -t tmpfs bench /var/lib && mkdir /var/lib/cni && touch ${sandbox} && mount --bind /proc/self/ns/net ${sandbox}`;
  const script = `${prepared} && { [ -z "$0" ] || cp -r "$0" ${recordDirectory}; } && exec "$@"`;
  return ["unshare", ["--mount", "--propagation", "private", "sh", "-c", script, records, ...argv]];
}

/** The directory with the records that a case starts from, as the build of an executable writes them. */
export function recordsOf({ directory }: Stage, recorded: Recorded, name: string): string {
  return path.join(directory, isOfBase(name) ? "before, base" : "before", recorded);
}

/** Runs a command as the stopwatch does: stdin is the file itself. Returns its stdout. Throws if it fails. */
export function runOnce({ name, argv, env, stdin, records }: Peer): string {
  const [command, args] = inPrivateMounts(argv, records);
  const input = openSync(stdin, "r");
  const call = spawnSync(command, args, { env, encoding: "utf8", stdio: [input, "pipe", "pipe"] });
  closeSync(input);
  if (call.status !== 0) throw new Error(`${name} fails: ${call.stdout}${call.stderr}`);
  return call.stdout;
}
