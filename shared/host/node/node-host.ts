import { closeSync, readFileSync, readSync, writeSync } from "node:fs";
import type { Answer, Bytes, Host, Streams } from "../host.ts";
import { findProgram } from "../programs.ts";
import { canExec, canSpawn, inspectFile } from "./executable-file.ts";
import {
  appendJournal,
  appendLine,
  attempt,
  listDirectory,
  readFile,
  removeDirectory,
  removeFile,
  stat,
} from "./files.ts";
import { ip, linkIndex } from "./ip.ts";
import { jq } from "./jq.ts";
import { fileWith, replaceStdin } from "./stdin-file.ts";

// The build defines these two.
declare const __VERSION__: string;
declare const __COMMIT__: string;

const chunkSize = 64 * 1024;

/** Returns the host of the Node flavor. */
export function nodeHost(): Host {
  return {
    env: process.env,
    calledAs: process.argv0,
    executable: process.execPath,
    pid: process.pid,
    release: { version: __VERSION__, commit: __COMMIT__, flavor: "node" },
    now: Date.now,
    sleep,
    readStdin,
    writeStdout: (text) => print(Buffer.from(text)),
    inspect: inspectFile,
    tryExec,
    spawn,
    readFile,
    appendJournal,
    removeFile,
    removeDirectory,
    listDirectory,
    stat,
    linkIndex,
    // A closed stderr must not fail a call.
    writeStderr: (text) => void attempt(() => writeSync(2, text)),
    jq,
    ip,
    appendLine,
  };
}

function readStdin(limit: number): Bytes | undefined {
  const chunks: Buffer[] = [];
  let size = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(chunkSize);
    const length = retryWhileBusy(() => readSync(0, chunk, 0, chunkSize, null));
    if (length === 0) return bytesOf(Buffer.concat(chunks, size));
    size += length;
    if (size > limit) return undefined;
    chunks.push(chunk.subarray(0, length));
  }
}

function bytesOf(bytes: Uint8Array): Bytes {
  return { decodeUtf8: () => decodeUtf8(bytes), print: () => print(bytes) };
}

function print(bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += retryWhileBusy(() => writeSync(1, bytes, written));
}

// The runtime may have made the pipe non-blocking.
function retryWhileBusy(transfer: () => number): number {
  for (;;) {
    try {
      return transfer();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EAGAIN") throw new Error(code);
      sleep(1);
    }
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  return attempt(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
}

function tryExec(path: string, changes: Host["env"], stdin: string | undefined): void {
  if (process.execve === undefined || !canExec(path)) return;
  if (stdin !== undefined && !replaceStdin(stdin)) return;
  // Node ignores these two signals, and an ignored signal stays ignored after execve. A handler resets it to the default.
  process.on("SIGPIPE", () => {}).on("SIGXFSZ", () => {});
  process.execve(path, [path], environmentWith(changes));
}

function spawn(path: string, changes: Host["env"], { stdin, limit }: Streams): Answer {
  if (!canSpawn(path))
    return {
      ended: "not started",
      reason: `${path} is not an executable for this machine, or its interpreter is missing`,
    };
  // Loading it takes 2 ms, and most calls do not spawn.
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const [command, ...args] = commandEndingWithUs(path);
  // Node's pipes are sockets, and no script can open a socket as /dev/stdin.
  const file = stdin === undefined ? 0 : fileWith(stdin);
  const { error, status, signal, stdout } = spawnSync(command, args, {
    env: environmentWith(changes),
    ...(file === undefined && { input: stdin }),
    stdio: [file ?? "pipe", "pipe", "inherit"],
    maxBuffer: limit,
    // A delegate that prints too much may ignore SIGTERM.
    killSignal: "SIGKILL",
  });
  if (file) closeSync(file);
  // A delegate may close its stdin before it has read everything, which breaks the pipe.
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (code === "ENOBUFS") return { ended: "too much output" };
  if (error !== undefined && status === null && signal === null)
    return { ended: "not started", reason: `${path}: ${code}` };
  // Node has no names for real-time signals.
  if (signal !== null) return { ended: "signal", signal: signal || "a real-time signal" };
  return { ended: "exit", exitCode: status ?? 0, stdout: bytesOf(stdout) };
}

function environmentWith(changes: Host["env"]): Record<string, string> {
  return { ...process.env, ...changes } as Record<string, string>;
}

const deathSignal = "--pdeathsig";

/**
 * Returns a command for an executable that the kernel kills when this process ends. setpriv (util-linux) arranges that and
 * then execs the executable, so it adds no process. If setpriv is missing or too old, or if execve may fail, the command is
 * the executable alone: otherwise setpriv's exit code would look like the executable's.
 */
function commandEndingWithUs(executable: string): [string, ...string[]] {
  const setpriv = findProgram("setpriv", process.env.PATH, inspectFile);
  if (setpriv === undefined || !hasOption(setpriv) || !canExec(executable)) return [executable];
  return [setpriv, deathSignal, "KILL", "--", executable];
}

// setpriv of BusyBox, and of util-linux before 2.33, would fail because it lacks the option.
function hasOption(setpriv: string): boolean {
  return attempt(() => readFileSync(setpriv).includes(deathSignal.slice(2))) ?? false;
}
