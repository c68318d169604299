import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { spreadOf } from "../bench/statistics.ts";
import type { Host } from "./host.ts";

/** The figures for one number of attachments: medians in seconds, and the most memory in KiB. */
export interface Figures {
  readonly count: number;
  readonly plugins: number;
  readonly preflight: number;
  readonly memory: number;
}

const commands = path.resolve(import.meta.dirname, "../../../dist/bin/cni-wrappers");
const driver = path.join(import.meta.dirname, "driver.ts");

/** Runs preflight and, in turn, the plugins alone. */
export async function measure(
  { options, calls }: Host,
  { count, runs }: { readonly count: number; readonly runs: number },
): Promise<Figures> {
  const [plugins, preflight]: [Run[], Run[]] = [[], []];
  for (let run = 0; run < runs; run++) {
    plugins.push(await timed(process.execPath, [driver, calls, String(availableParallelism())]));
    preflight.push(await timed(commands, ["preflight", ...options]));
  }
  const median = (all: readonly Run[]) => spreadOf(all.map(({ seconds }) => seconds)).median;
  const memory = Math.max(...preflight.map((one) => one.memory));
  return { count, plugins: median(plugins), preflight: median(preflight), memory };
}

interface Run {
  readonly seconds: number;
  readonly memory: number;
}

async function timed(command: string, args: readonly string[]): Promise<Run> {
  const start = performance.now();
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "inherit"] });
  let memory = 0;
  const watch = setInterval(() => {
    memory = peakOf(child.pid) ?? memory;
  }, 20);
  const [code] = await once(child, "exit");
  clearInterval(watch);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")}: exit code ${code}`);
  return { seconds: (performance.now() - start) / 1000, memory };
}

// proc(5): VmHWM, in KiB. The process may have ended.
function peakOf(pid: number | undefined): number | undefined {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN) || undefined;
  } catch {
    return undefined;
  }
}
