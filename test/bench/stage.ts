import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { execa } from "execa";
import { makeExecutable } from "../../build/executable.ts";
import { benchPrograms } from "../tools/go.ts";
import { answers, type Case, variables, wrapperBlocks } from "./cases.ts";

/** One executable that a case is run with, and how a runtime would run it. */
export interface Peer {
  readonly name: string;
  /** Whether it does the wrapper's work, so that what it does must be the same. The others show what a start costs. */
  readonly works: boolean;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The file with its request. */
  readonly stdin: string;
}

/** Whether the plugin behind a peer is the one that is timed, or the recorder before it, which writes its request down. */
export type Purpose = "timed" | "recorded";

/** Everything that is run, in a temporary directory that goes with this process. */
export interface Stage {
  readonly directory: string;
  readonly stopwatch: string;
  readonly jqVersion: string;
}

const wrapperFile = path.resolve(import.meta.dirname, "../../dist/bin/cni-wrappers");
const plugins = ["macvlan", "bridge"] as const;

/** Makes the executables that are compared with the wrapper, and lays all of them out as on a host. */
export async function setStage(): Promise<Stage> {
  if (!existsSync(wrapperFile)) throw new Error("no wrappers in dist/bin: npm run build");
  const programs = await benchPrograms();
  const { stdout } = await execa("jq", ["--version"]);
  const directory = mkdtempSync(path.join(tmpdir(), "cni-wrappers-bench-"));
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  const at = (...names: string[]) => path.join(directory, ...names);

  mkdirSync(at("records"));
  layOut(at("timed"), programs.delegate);
  layOut(at("recorded"), programs.recorder);
  for (const plugin of plugins) writeFileSync(at("timed", `${plugin}.json`), JSON.stringify(answers[plugin]));
  writeFileSync(at("recorded", "recorder.json"), JSON.stringify({ real: at("timed"), out: at("records") }));
  symlinkSync(programs.floor, at("floor"));
  await addExecutables(directory);
  return { directory, stopwatch: programs.stopwatch, jqVersion: stdout.replace("jq-", "") };
}

// The script looks for the plugin in the directory above its own.
function layOut(directory: string, plugin: string): void {
  mkdirSync(directory);
  for (const name of plugins) symlinkSync(plugin, path.join(directory, name));
  cpSync(path.join(import.meta.dirname, "script"), path.join(directory, "script"), { recursive: true });
}

/**
 * The wrapper and an empty executable, made by the wrapper's own build of the same Node: what it takes less is the wrapper's
 * doing. Both are copied in the same way: how a file came into the page cache decides how it is mapped, and of two equal ones
 * of this size one may start 2 ms later.
 */
async function addExecutables(directory: string): Promise<void> {
  const build = path.join(directory, "build");
  mkdirSync(build);
  writeFileSync(path.join(build, "empty.cjs"), "process.exit(0);\n");
  await makeExecutable(path.join(build, "empty.cjs"), path.join(build, "empty"));
  copyFileSync(path.join(build, "empty"), path.join(directory, "empty"));
  copyFileSync(wrapperFile, path.join(directory, "cni-wrappers"));
  for (const plugin of plugins) symlinkSync("cni-wrappers", path.join(directory, `${plugin}-wrapper`));
}

/** The executables that a case is run with; the wrapper is the first. */
export function peersOf(stage: Stage, one: Case, purpose: Purpose): readonly [Peer, ...Peer[]] {
  const { plugin, verb, request } = one;
  const directory = path.join(stage.directory, purpose);
  const env = { ...variables, CNI_COMMAND: verb, CNI_PATH: directory };
  const own = path.join(stage.directory, "own-request.json");
  const wrappers = path.join(stage.directory, "wrapper-request.json");
  // VERSION's request is no plugin configuration.
  const typed = (type: string, more: object) => (verb === "VERSION" ? request : { ...request, type, ...more });
  const wrapper = wrapperBlocks[plugin];
  writeFileSync(own, JSON.stringify(typed(plugin, {})));
  writeFileSync(wrappers, JSON.stringify(typed(`${plugin}-wrapper`, { wrapper })));

  const peer = (name: string, argv: string[], works = false): Peer => ({ name, works, argv, env, stdin: own });
  const delegate = path.join(directory, plugin);
  const argv = [path.join(stage.directory, `${plugin}-wrapper`)];
  const starting = [
    { name: "wrapper", works: true, argv, env, stdin: wrappers },
    peer("empty SEA", [path.join(stage.directory, "empty")]),
  ] as const;
  if (verb === "") return starting;
  return [
    ...starting,
    peer(`bash + jq ${stage.jqVersion}`, [path.join(directory, "script", plugin)], true),
    peer("floor", [path.join(stage.directory, "floor"), delegate]),
    peer("delegate alone", [delegate]),
  ];
}

/** A command line in a mount namespace of its own, where a call may write under `/var/lib` without the host noticing. */
export function inPrivateMounts(argv: readonly string[]): [string, string[]] {
  const script = 'mount -t tmpfs bench /var/lib && exec "$@"';
  return ["unshare", ["--mount", "--propagation", "private", "sh", "-c", script, "sh", ...argv]];
}
