import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeExecutable } from "../../../build/executable.ts";
import { benchPrograms } from "../../support/go.ts";
import type { Jq } from "../../support/later-jq.ts";
import { nativeProgram } from "../../support/native.ts";
import { sizeOf } from "../../support/program.ts";
import { answers, type Case, variables, wrapperBlocks } from "./cases.ts";
import { findJqs } from "./jqs.ts";
import type { Command } from "./measure.ts";

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

interface StagedPeer {
  readonly name: string;
  readonly kind: Kind;
  /** The size of the files that it needs on a host. In bytes. */
  readonly size: number;
  /** The executable, if it is a wrapper. */
  readonly file?: string;
  /** Its jq, if it is a script. */
  readonly jq?: Jq;
}

const dist = path.resolve(import.meta.dirname, "../../../dist");
const muslTarget = `${process.arch === "x64" ? "x86_64" : "aarch64"}-unknown-linux-musl`;

/** The flavors, each with the executable that its build makes. */
const flavors = [
  {
    name: "slim, musl",
    kind: "slim",
    file: `${dist}/slim/${muslTarget}/bin/cni-wrappers`,
    how: `--target ${muslTarget}`,
  },
  { name: "slim", kind: "slim", file: `${dist}/slim/bin/cni-wrappers`, how: "npm run build:slim" },
  { name: "Node flavor", kind: "node", file: `${dist}/bin/cni-wrappers`, how: "npm run build" },
] as const;

export const scriptDirectory = path.join(import.meta.dirname, "../../support/workaround");
const plugins = ["macvlan", "bridge"] as const;

/** Makes the executables that are compared with the wrapper, and installs all of them as on a host. */
export async function setStage(): Promise<Stage> {
  const programs = await benchPrograms();
  const delegate = await nativeProgram("delegate");
  const directory = mkdtempSync(path.join(tmpdir(), "cni-wrappers-bench-"));
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  const at = (...names: string[]) => path.join(directory, ...names);

  const { jqs, missing } = await findJqs();
  mkdirSync(at("records"));
  layOut(at("timed"), delegate, jqs);
  layOut(at("recorded"), programs.recorder, jqs);
  for (const plugin of plugins) writeFileSync(at("timed", `${plugin}.json`), JSON.stringify(answers[plugin]));
  writeFileSync(at("recorded", "recorder.json"), JSON.stringify({ real: at("timed"), out: at("records") }));
  symlinkSync(await nativeProgram("floor"), at("floor"));
  await addEmptySea(directory);
  const wrappers = flavors.filter(({ file }) => existsSync(file));
  for (const { name, file } of wrappers) addWrapper(at(name), file);
  for (const { name, how } of flavors.filter((flavor) => !wrappers.includes(flavor))) {
    missing.push(`${name}: not built (${how})`);
  }

  const peers: StagedPeer[] = [
    { name: "plugin alone", kind: "alone", size: sizeOf([delegate]) },
    { name: "floor", kind: "floor", size: sizeOf([at("floor")]) },
    ...wrappers.map(({ name, kind, file }) => ({ name, kind, size: sizeOf([file]), file })),
    { name: "empty SEA", kind: "emptySea", size: sizeOf([at("empty")]) },
    ...jqs.map((jq) => ({ name: scriptName(jq), kind: "script", size: scriptSize(jq), jq }) as const),
  ];
  return { directory, programs, delegate, peers, missing };
}

/** The name of the script with this jq. */
export function scriptName({ version }: Jq): string {
  return `bash + jq ${version}`;
}

function scriptSize({ files }: Jq): number {
  return sizeOf([...plugins.map((name) => path.join(scriptDirectory, name)), "/bin/bash", ...files]);
}

// The script looks for the plugin in the directory above its own.
function layOut(directory: string, plugin: string, jqs: readonly Jq[]): void {
  mkdirSync(directory);
  for (const name of plugins) symlinkSync(plugin, path.join(directory, name));
  for (const jq of jqs) layOutScript(path.join(directory, scriptName(jq)), jq);
}

function layOutScript(directory: string, jq: Jq): void {
  mkdirSync(directory);
  for (const name of readdirSync(scriptDirectory)) {
    writeFileSync(path.join(directory, name), scriptWith(jq, readFileSync(path.join(scriptDirectory, name), "utf8")));
    chmodSync(path.join(directory, name), 0o755);
  }
}

/** The script with another command for jq. A shell variable for the command would change the time. */
export function scriptWith({ argv }: Pick<Jq, "argv">, script: string): string {
  return script.replaceAll(/\bjq(?= --)/g, () => argv.join(" "));
}

/**
 * An empty executable, built like the wrapper with the same Node. The difference is the wrapper's own time. Both files
 * are copied in the same way: their place in the page cache decides how they are mapped, and one of two equal files of
 * this size can start 2 ms later.
 */
async function addEmptySea(directory: string): Promise<void> {
  const build = path.join(directory, "build");
  mkdirSync(build);
  writeFileSync(path.join(build, "empty.cjs"), "process.exit(0);\n");
  makeExecutable(path.join(build, "empty.cjs"), path.join(build, "empty"));
  copyFileSync(path.join(build, "empty"), path.join(directory, "empty"));
}

function addWrapper(directory: string, file: string): void {
  mkdirSync(directory);
  copyFileSync(file, path.join(directory, "cni-wrappers"));
  for (const plugin of plugins) symlinkSync("cni-wrappers", path.join(directory, `${plugin}-wrapper`));
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
      const own = { name, kind, env, stdin: requests.own };
      switch (kind) {
        case "slim":
        case "node":
          return { ...own, argv: [inStage(name, `${plugin}-wrapper`)], stdin: requests.wrapper };
        case "alone":
          return { ...own, argv: [delegate] };
        case "emptySea":
          return { ...own, argv: [inStage("empty")] };
        case "floor":
          return { ...own, argv: [inStage("floor"), delegate] };
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

/** A command line in a private mount namespace. Calls may write to `/var/lib` there, and the host does not change. */
export function inPrivateMounts(argv: readonly string[]): [string, string[]] {
  const script = 'mount -t tmpfs bench /var/lib && exec "$@"';
  return ["unshare", ["--mount", "--propagation", "private", "sh", "-c", script, "sh", ...argv]];
}
