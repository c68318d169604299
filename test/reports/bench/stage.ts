import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeExecutable } from "../../../build/executable.ts";
import { installZig } from "../../../build/release/zig.ts";
import { firstLine } from "../../support/first-line.ts";
import { benchPrograms } from "../../support/go.ts";
import type { Jq } from "../../support/later-jq.ts";
import { nativeProgram } from "../../support/native.ts";
import { sizeOf } from "../../support/program.ts";
import { answers, caseOf } from "./cases.ts";
import { findJqs } from "./jqs.ts";
import { baseName, muslFloor } from "./names.ts";
import { peersOf, recordDirectory, recordsOf, runOnce, type Stage, type StagedPeer } from "./peers.ts";

const dist = path.resolve(import.meta.dirname, "../../../dist");
const muslTarget = `${process.arch === "x64" ? "x86_64" : "aarch64"}-unknown-linux-musl`;

/** A wrapper's executable, and the command that builds it. */
interface Flavor {
  readonly name: string;
  readonly kind: "slim" | "node";
  readonly file: string;
  readonly how: string;
}

const muslFlavor: Flavor = {
  name: "slim, musl",
  kind: "slim",
  file: `${dist}/slim/${muslTarget}/bin/cni-wrappers`,
  how: `npm run build:slim -- --target ${muslTarget}`,
};

const flavors: readonly Flavor[] = [
  muslFlavor,
  { name: "slim", kind: "slim", file: `${dist}/slim/bin/cni-wrappers`, how: "npm run build:slim" },
  { name: "Node flavor", kind: "node", file: `${dist}/bin/cni-wrappers`, how: "npm run build" },
];

/** `missing` gets a line if the compiler of releases cannot be had: everything else is timed without it. */
async function addFloors(directory: string, missing: string[]): Promise<StagedPeer[]> {
  const programs: Record<string, string> = { floor: await nativeProgram("floor") };
  try {
    if (fs.existsSync(muslFlavor.file)) programs[muslFloor] = await nativeProgram("floor", muslCompiler());
  } catch (error) {
    missing.push(`${muslFloor}: ${firstLine(error)}`);
  }
  return Object.entries(programs).map(([name, program]) => {
    fs.symlinkSync(program, path.join(directory, name));
    return { name, kind: "floor", size: sizeOf([program]) };
  });
}

/** The compiler that links releases, so this floor has the C library of "slim, musl". */
function muslCompiler(): readonly string[] {
  const target = muslTarget.replace("-unknown", "");
  return [path.join(installZig(), "cargo-zigbuild"), "zig", "cc", "--", "-target", target];
}

function flavorsOfBase(base: string): Flavor[] {
  return flavors.map(({ name, file, ...rest }) => {
    return { ...rest, name: baseName(name), file: path.join(base, path.relative(dist, file)) };
  });
}

export const scriptDirectory = path.join(import.meta.dirname, "../../support/workaround");
const plugins = ["macvlan", "bridge"] as const;

/**
 * Makes the executables that are compared with the wrapper, and installs all of them as on a host. `base` is the `dist`
 * directory of another build to compare with.
 */
export async function setStage(base?: string): Promise<Stage> {
  // While it is open, the kernel keeps the namespace's inode. Its time tells the wrapper that it is the one of the records.
  fs.openSync("/proc/self/ns/net", "r");
  const programs = await benchPrograms();
  const delegate = await nativeProgram("delegate");
  const directory = fs.mkdtempSync(path.join(tmpdir(), "cni-wrappers-bench-"));
  process.on("exit", () => fs.rmSync(directory, { recursive: true, force: true }));
  const at = (...names: string[]) => path.join(directory, ...names);

  const { jqs, missing } = await findJqs();
  fs.mkdirSync(at("records"));
  layOut(at("timed"), delegate, jqs);
  layOut(at("recorded"), programs.recorder, jqs);
  for (const plugin of plugins) fs.writeFileSync(at("timed", `${plugin}.json`), JSON.stringify(answers[plugin]));
  fs.writeFileSync(at("recorded", "recorder.json"), JSON.stringify({ real: at("timed"), out: at("records") }));
  const floors = await addFloors(directory, missing);
  await addEmptySea(directory);
  const wanted = [...flavors, ...(base === undefined ? [] : flavorsOfBase(base))];
  const wrappers = wanted.filter(({ file }) => fs.existsSync(file));
  for (const { name, file } of wrappers) addWrapper(at(name), file);
  for (const { name, how } of wanted.filter((flavor) => !wrappers.includes(flavor))) {
    missing.push(`${name}: not built (${how})`);
  }

  const peers: StagedPeer[] = [
    { name: "plugin alone", kind: "alone", size: sizeOf([delegate]) },
    ...floors,
    ...wrappers.map(({ name, kind, file }) => ({ name, kind, size: sizeOf([file]), file })),
    { name: "empty SEA", kind: "emptySea", size: sizeOf([at("empty")]) },
    ...jqs.map((jq) => ({ name: scriptName(jq), kind: "script", size: scriptSize(jq), jq }) as const),
  ];
  const stage = { directory, programs, delegate, peers, missing };
  writeRecords(stage);
  return stage;
}

/** Lets a wrapper of each build write the records that the cases start from. */
function writeRecords(stage: Stage): void {
  for (const [title, recorded] of [
    ["ADD first", "eth0"],
    ["ADD chained", "eth0 and eth1"],
  ] as const) {
    const peers = peersOf(stage, caseOf(title), "timed").filter(({ kind }) => kind === "node");
    if (peers.length === 0) throw new Error("the Node flavor is not built: npm run build");
    for (const peer of peers) {
      fs.mkdirSync(recordsOf(stage, "none", peer.name), { recursive: true });
      const script = `"$0" >/dev/null && cp -r ${recordDirectory} "$1"`;
      const argv = ["sh", "-c", script, ...peer.argv, recordsOf(stage, recorded, peer.name)];
      runOnce({ ...peer, argv });
    }
  }
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
  fs.mkdirSync(directory);
  for (const name of plugins) fs.symlinkSync(plugin, path.join(directory, name));
  for (const jq of jqs) layOutScript(path.join(directory, scriptName(jq)), jq);
}

function layOutScript(directory: string, jq: Jq): void {
  fs.mkdirSync(directory);
  for (const name of fs.readdirSync(scriptDirectory)) {
    fs.writeFileSync(
      path.join(directory, name),
      scriptWith(jq, fs.readFileSync(path.join(scriptDirectory, name), "utf8")),
    );
    fs.chmodSync(path.join(directory, name), 0o755);
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
  fs.mkdirSync(build);
  fs.writeFileSync(path.join(build, "empty.cjs"), "process.exit(0);\n");
  makeExecutable(path.join(build, "empty.cjs"), path.join(build, "empty"));
  fs.copyFileSync(path.join(build, "empty"), path.join(directory, "empty"));
}

function addWrapper(directory: string, file: string): void {
  fs.mkdirSync(directory);
  fs.copyFileSync(file, path.join(directory, "cni-wrappers"));
  for (const plugin of plugins) fs.symlinkSync("cni-wrappers", path.join(directory, `${plugin}-wrapper`));
}

/**
 * Copies the slim executables anew: where the page cache has a file changes the time of its calls by up to 10%. Those of Node
 * are 130 MB, and their calls take so long that it matters less.
 */
export function copyWrappers({ directory, peers }: Stage): void {
  for (const { name, kind, file } of peers) {
    if (kind !== "slim" || file === undefined) continue;
    const copy = path.join(directory, name, "cni-wrappers");
    fs.rmSync(copy);
    fs.copyFileSync(file, copy);
  }
}
