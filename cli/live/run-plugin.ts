import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, parseJsonObject } from "../../shared/protocol/json.ts";
import { isPluginName } from "../host/plugin-folder.ts";
import type { Call } from "./libcni.ts";

/** How a plugin answered. An error has the words that libcni gives to the runtime. */
export type PluginOutcome = { readonly passed: true } | { readonly passed: false; readonly error: string };

/** One run of a plugin of the host. */
export interface PluginRun extends Call {
  readonly type: string;
}

/** Runs a plugin. Without an answer after `seconds`, the plugin is killed. */
export async function runPlugin(run: PluginRun, seconds: number): Promise<PluginOutcome> {
  // libcni, pkg/invoke/find.go.
  if (run.type === "") return failed("no plugin name provided");
  if (!isPluginName(run.type)) return failed(`invalid plugin name: ${run.type}`);
  const directories = (run.environment.CNI_PATH ?? "").split(":");
  const path = directories.map((directory) => join(directory, run.type)).find(isFile);
  if (path === undefined) return failed(`failed to find plugin "${run.type}" in path [${directories.join(" ")}]`);
  const { stdout, stderr, exitCode, problem } = await runToItsEnd(path, run, seconds);
  if (problem !== undefined) return failed(problem);
  return exitCode === 0 ? { passed: true } : failed(errorIn(stdout, stderr, exitCode));
}

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly problem?: string;
}

function runToItsEnd(path: string, { environment, stdin }: PluginRun, seconds: number): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(path, { env: { ...withoutLog(process.env), ...environment }, stdio: "pipe" });
    let [stdout, stderr] = ["", ""];
    const end = (exitCode: number | null, problem?: string) => {
      clearTimeout(deadline);
      resolve({ stdout, stderr, exitCode, ...(problem !== undefined && { problem }) });
    };
    const deadline = setTimeout(() => {
      child.kill("SIGKILL");
      end(null, `${path} gave no answer within ${seconds} seconds`);
    }, seconds * 1000);
    child.stdout.on("data", (chunk) => (stdout += chunk));
    child.stderr.on("data", (chunk) => (stderr += chunk));
    child.on("error", (error) => end(null, `${path}: ${error.message}`));
    child.on("close", (exitCode, signal) => end(exitCode, signal ? `${path} was ended by ${signal}` : undefined));
    // A plugin that reads nothing closes the pipe.
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(stdin));
  });
}

// An operator counts the lines of the wrappers' log after a restart. A forecast must not add to them.
function withoutLog({ CNI_WRAPPERS_LOG: _, ...environment }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return environment;
}

// libcni, pkg/invoke/raw_exec.go, pluginErr; pkg/types, Error.
function errorIn(stdout: string, stderr: string, exitCode: number | null): string {
  const answer = parseJsonObject(stdout);
  if (isJsonObject(answer) && typeof answer.msg === "string") {
    return answer.details ? `${answer.msg}; ${answer.details}` : answer.msg;
  }
  return (stderr.trim() || stdout.trim() || `exit code ${exitCode}`).split("\n").slice(-1).join("");
}

function failed(error: string): PluginOutcome {
  return { passed: false, error };
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
