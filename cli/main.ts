import process from "node:process";
import { isSea } from "node:sea";
import { setTimeout } from "node:timers/promises";
import { isatty } from "node:tty";
import { setFlagsFromString } from "node:v8";
import { withUsualDirectories } from "../shared/host/programs.ts";
import { confirmed } from "./confirm.ts";
import { readOpened } from "./files/read-input.ts";
import { namespacesInCache } from "./live/cached-results.ts";
import { runCli } from "./program.ts";
import { viewProblem } from "./prune/host-namespaces.ts";
import { type Terminal, watchOutput } from "./terminal.ts";

// The build defines these.
declare const __VERSION__: string;
declare const __COMMIT__: string;
declare const __PARTS__: Readonly<Record<string, string>>;

const { stdout, stderr, env } = process;

// A serial console has 0 columns. With that, the questions' library writes a letter a line.
for (const stream of [stdout, stderr]) if (stream.columns === 0) stream.columns = 80;

const terminal: Terminal = {
  release: {
    ...{ version: __VERSION__, commit: __COMMIT__ },
    // The npm package has the same commands.
    flavor: isSea() ? "node" : "npm",
    target: `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`,
    parts: { node: process.versions.node, ...__PARTS__ },
  },
  env,
  // The file of that path may be another one by now.
  executable: isSea() ? "/proc/self/exe" : undefined,
  directory: currentDirectory(),
  confirm: stdout.isTTY && isatty(0) ? confirmed : undefined,
  hasColors: stdout.isTTY ? stdout.hasColors() : ![undefined, "", "0"].includes(env.FORCE_COLOR),
  width: stdout.columns ?? 80,
  write: (text) => stdout.write(text),
  writeError: (text) => stderr.write(text),
  progress: stderr.isTTY ? stderr : undefined,
  readInput: (limit) => readOpened("stdin", 0, limit).toString(),
  wait: setTimeout,
  viewProblem: (cacheDirectory) => viewProblem(namespacesInCache(cacheDirectory)),
};

// The space for new objects stays at 1 MiB. preflight starts thousands of plugins, and each fork copies the page table.
setFlagsFromString("--semi-space-growth-factor=1");

env.PATH = withUsualDirectories(env.PATH);

let isLost = false;
watchOutput(stdout, "stdout", (message) => {
  isLost = true;
  process.exitCode = 2;
  stderr.write(`cni-wrappers: ${message}\n`);
});
watchOutput(stderr, "stderr", () => {});

// Node ends a process that waits for nothing any more, even if its work is not done.
process.exitCode = 2;
// The process ends by itself, so that a pipe gets everything.
runCli(process.argv.slice(2), terminal).then((exitCode) => {
  process.exitCode = isLost ? 2 : exitCode;
});

function currentDirectory(): string {
  try {
    return process.cwd();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? "was removed; change to another one" : `cannot be named: ${code}`;
    stderr.write(`cni-wrappers: the current directory ${reason}\n`);
    process.exit(2);
  }
}
