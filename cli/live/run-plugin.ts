import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { canSpawn } from "../../shared/host/node/executable-file.ts";
import { attempt } from "../../shared/host/node/files.ts";
import { fileWith } from "../../shared/host/node/stdin-file.ts";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../shared/protocol/json.ts";
import type { ConfiguredVerb } from "../../shared/protocol/request.ts";
import type { CniResult } from "../../shared/protocol/result.ts";
import { isPluginName, noProgram } from "../host/plugin-folder.ts";
import type { List, ListedPlugin } from "../lists/list.ts";
import { type AttachmentParameters, type Call, callsOf, inVersion } from "./libcni.ts";

/** How a plugin answered. An error has the words that libcni gives to the runtime. */
export type PluginOutcome =
  /** With the JSON object that it printed, if it printed one. */
  { readonly passed: true; readonly output?: JsonObject } | { readonly passed: false; readonly error: string };

/** One run of a plugin of the host. */
export interface PluginRun extends Call {
  readonly type: string;
}

/** The longest output of a plugin, in bytes. It is the wrappers' limit, too. */
const sizeLimit = 8 * 1024 * 1024;

/** Runs a plugin. Without an answer after `seconds`, or with too much of it, the plugin is killed with all that it started. */
export async function runPlugin(run: PluginRun, seconds: number): Promise<PluginOutcome> {
  // libcni, pkg/invoke/find.go.
  if (run.type === "") return failed("no plugin name provided");
  // guard: no path is run as a plugin
  if (!isPluginName(run.type)) return failed(`invalid plugin name: ${run.type}`);
  const directories = (run.environment.CNI_PATH ?? "").split(":");
  const path = directories
    .map((directory) => join(directory, run.type))
    .find((file) => attempt(() => statSync(file).isFile()));
  if (path === undefined) return failed(`failed to find plugin "${run.type}" in path [${directories.join(" ")}]`);
  // guard: a file that is no program is not run by a shell
  if (!canSpawn(path)) return failed(`${path}: ${noProgram}`);
  const { stdout, stderr, exitCode, problem } = await runToItsEnd(path, run, seconds);
  // guard: a plugin that was killed has not passed
  if (problem !== undefined) return failed(problem);
  // guard: a plugin that fails has not passed
  if (exitCode !== 0) return failed(errorIn(stdout, stderr, exitCode));
  const output = parseJsonObject(stdout);
  return { passed: true, ...(output && { output }) };
}

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly problem?: string;
}

function runToItsEnd(path: string, run: PluginRun, seconds: number): Promise<Ended> {
  return new Promise((resolve) => {
    listenForSignals();
    const child = start(path, run);
    running.add(child);
    const output = { stdout: "", stderr: "" };
    let size = 0;
    const end = (exitCode: number | null, problem?: string) => {
      clearTimeout(deadline);
      running.delete(child);
      resolve({ ...output, exitCode, ...(problem !== undefined && { problem }) });
    };
    const giveUp = (problem: string) => {
      killGroup(child);
      // Who left the group may still hold the pipes.
      child.stdout?.destroy();
      child.stderr?.destroy();
      end(null, `${path} ${problem}`);
    };
    const deadline = setTimeout(() => giveUp(`gave no answer within ${seconds} seconds`), seconds * 1000);
    child.on("error", (error) => end(null, `${path}: ${error.message}`));
    for (const name of ["stdout", "stderr"] as const) {
      // Without a free file descriptor, Node makes no pipes.
      child[name]?.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > sizeLimit) giveUp("printed more than 8 MiB");
        else output[name] += chunk;
      });
    }
    child.on("close", (exitCode, signal) => end(exitCode, signal ? `${path} was ended by ${signal}` : undefined));
  });
}

/** Starts a plugin in a process group of its own. */
function start(path: string, { environment, stdin }: PluginRun): ChildProcess {
  // An operator counts the lines of the wrappers' log after a restart. A forecast must not add to them.
  const { CNI_WRAPPERS_LOG: _, ...own } = process.env;
  const input = JSON.stringify(stdin);
  // Node's pipes are sockets, and no script can open a socket as /dev/stdin.
  const file = fileWith(input);
  const env = { ...own, ...environment };
  const child = spawn(path, { env, stdio: [file ?? "pipe", "pipe", "pipe"], detached: true });
  if (file !== undefined) closeSync(file);
  // A plugin that reads nothing closes the pipe.
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
  return child;
}

const running = new Set<ChildProcess>();
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

// A plugin's group gets no signal from the terminal, and a signal before these listeners would leave it behind. They stay:
// to add and remove them costs 0.1 ms a plugin.
function listenForSignals(): void {
  for (const signal of signals) if (!process.listeners(signal).includes(endAll)) process.on(signal, endAll);
}

function endAll(signal: NodeJS.Signals): void {
  for (const child of running) killGroup(child);
  for (const each of signals) process.removeListener(each, endAll);
  process.kill(process.pid, signal);
}

function killGroup({ pid }: ChildProcess): void {
  // It may have ended.
  // guard: no plugin stays behind
  if (pid !== undefined) attempt(() => process.kill(-pid, "SIGKILL"));
}

// libcni, pkg/invoke/raw_exec.go, pluginErr; pkg/types, Error.
function errorIn(stdout: string, stderr: string, exitCode: number | null): string {
  const { msg, details } = parseJsonObject(stdout) ?? {};
  if (typeof msg === "string") return details ? `${msg}; ${details}` : msg;
  return (stderr.trim() || stdout.trim() || `exit code ${exitCode}`).split("\n").slice(-1).join("");
}

function failed(error: string): PluginOutcome {
  return { passed: false, error };
}

/** How a verb of a list ends: at its first plugin that fails. */
export type ListOutcome =
  | { readonly passed: true; readonly result?: CniResult }
  | { readonly passed: false; readonly plugin: string; readonly position: number; readonly error: string };

/** One verb of a list. */
export interface ListVerb {
  readonly list: List;
  readonly verb: ConfiguredVerb;
  readonly attachment: AttachmentParameters;
  /** The result of ADD, for the other verbs. */
  readonly result?: CniResult | undefined;
}

/** Runs a verb of a list with the host's plugins, in order, as libcni does. A plugin may take so many seconds. */
export async function runList(asked: ListVerb, seconds: number): Promise<ListOutcome> {
  const calls = callsIn(asked);
  let next = calls.next();
  while (!next.done) {
    const [{ type, index }, call] = next.value;
    const outcome = await runPlugin({ type, ...call }, seconds);
    // guard: no list passes with a plugin that fails
    if (!outcome.passed) return { passed: false, plugin: type, position: index, error: outcome.error };
    next = calls.next({ isPassed: true, output: outcome.output });
  }
  return { passed: true, ...(next.value && { result: next.value }) };
}

/** The calls of a verb, as libcni makes them. */
export function callsIn({ list, verb, attachment, result }: ListVerb): ReturnType<typeof callsOf> {
  const silent = { ...list, plugins: list.plugins.map(withoutLog) };
  return callsOf(silent, verb, attachment, result && inVersion(result, list.cniVersion ?? "0.1.0"));
}

// The wrappers' log counts the runtime's calls. A forecast must not add lines to it.
function withoutLog(plugin: ListedPlugin): ListedPlugin {
  const { wrapper } = plugin.configuration;
  if (!isJsonObject(wrapper)) return plugin;
  const { log: _, ...rest } = wrapper;
  return { ...plugin, configuration: { ...plugin.configuration, wrapper: rest } };
}
