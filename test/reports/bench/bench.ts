// Measures the cost of a call through the wrapper and through the alternatives: medians, spread and ratios of
// interleaved runs.

import { mkdirSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import path from "node:path";
import { writeSection } from "../../../build/docs/page-section.ts";
import { firstLine } from "../../support/first-line.ts";
import { given, text } from "../../support/given.ts";
import { jsonText } from "../../support/json-text.ts";
import { say } from "../../support/progress.ts";
import { timeAgainstBase } from "./base.ts";
import { timeChains } from "./chain.ts";
import { timeOthers } from "./others.ts";
import type { Stage } from "./peers.ts";
import { plotOf } from "./plot.ts";
import { describeMachine, type Report } from "./report.ts";
import { timeRestores } from "./restore.ts";
import { timeAtOnce, timeCalls, timeGrowth } from "./sections.ts";
import { setStage } from "./stage.ts";
import { aimsTable, tablesOf } from "./tables.ts";

const options = given({
  json: false,
  /** Puts the tables into docs/benchmarks.md, and the figures and the plot into `results/`. */
  write: false,
  /** Fewer than 50 runs prove nothing. They are for a quick look. */
  runs: 120,
  /** Names of parts, separated by commas. */
  only: text,
  /** The `dist` directory of another build. Only the comparison with it runs. */
  base: text,
});

type Part = Omit<Partial<Report>, "missing"> & { readonly missing?: readonly string[] };

type Measure = (stage: Stage, runs: number) => Promise<Part>;

/** The parts of the benchmark. Long parts run less often, because their figures vary less. */
const everyPart: Readonly<Record<string, Measure>> = {
  calls: async (stage, runs) => ({ calls: await timeCalls(stage, runs) }),
  growth: async (stage, runs) => ({ growth: await timeGrowth(stage, runs) }),
  "at-once": async (stage, runs) => ({ atOnce: await timeAtOnce(stage, atLeast(3, runs / 3)) }),
  chain: async (stage, runs) => {
    const { rows, missing } = await timeChains(stage, atLeast(3, runs / 2));
    return { chains: { runs: atLeast(3, runs / 2), rows }, missing };
  },
  restore: timeRestores,
  others: async (stage, runs) => {
    const fewer = atLeast(3, runs / 2);
    return { others: { runs: fewer, rows: await timeOthers(stage, fewer) } };
  },
};

const comparison: typeof everyPart = { base: async (stage, runs) => ({ base: await timeAgainstBase(stage, runs) }) };

function atLeast(least: number, runs: number): number {
  return Math.max(least, Math.round(runs));
}

async function bench(runs: number, base: string | undefined, only: string | undefined): Promise<Report> {
  if (!(runs > 0)) throw new Error("--runs must be a positive number");
  const parts = base === undefined ? everyPart : comparison;
  const names = only?.split(",") ?? Object.keys(parts);
  const unknown = names.find((name) => !parts[name]);
  if (unknown !== undefined) throw new Error(`unknown part ${unknown}: the parts are ${Object.keys(parts).join(", ")}`);
  const loadBefore = loadavg()[0] ?? Number.NaN;
  const stage = await setStage(base && path.resolve(base));
  const missing = [...stage.missing];
  const found: Part[] = [];
  for (const name of names) {
    const part = await attempt(name, () => parts[name]?.(stage, runs));
    found.push(part);
    missing.push(...(part.missing ?? []));
  }
  return Object.assign({ machine: describeMachine(), loadBefore }, ...found, { missing });
}

/** A failed part is reported, and the exit code is 1. The other figures took minutes, so they are kept. */
async function attempt(name: string, measure: () => Promise<Part> | undefined): Promise<Part> {
  try {
    return (await measure()) ?? {};
  } catch (error) {
    process.exitCode = 1;
    say(`${name}: failed: ${error instanceof Error ? error.message : error}`);
    return { missing: [`${name} failed: ${firstLine(error)}`] };
  }
}

const results = path.join(import.meta.dirname, "results");

function write(report: Report): void {
  mkdirSync(results, { recursive: true });
  writeFileSync(path.join(results, "figures.json"), `${jsonText(report)}\n`);
  writeFileSync(path.join(results, "aims.md"), `${aimsTable(report)}\n`);
  const plot = plotOf(report);
  if (plot) writeFileSync(path.join(results, "plot.svg"), plot);
  const page = writeSection("bench", tablesOf(report));
  say(`written: ${page}, test/reports/bench/results`);
}

try {
  const report = await bench(options.runs, options.base, options.only);
  if (options.write) write(report);
  const tables = [tablesOf(report), ...(report.base ? [] : [aimsTable(report)])].join("\n\n");
  console.log(options.json ? JSON.stringify(report, null, 2) : tables);
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
