// Keeps the scripts of the test files in memory, and runs the requested ones with one mutant on.
import { join } from "node:path";
import { Script } from "node:vm";
import { parentPort, workerData } from "node:worker_threads";
import fc from "fast-check";
import { type Bundle, root } from "./bundle.ts";
import { switchName } from "./instrument.ts";
import { type Case, testApi } from "./test-api.ts";

/** The order for a worker: the mutant (none in the first run), and the test files to run until one fails. */
export interface Order {
  readonly mutant: number | undefined;
  readonly tests: readonly Limited[];
}

/** A test file, and how often it may ask for a mutant. A test that asks far more often is in an endless loop. */
export interface Limited {
  readonly test: string;
  readonly mostAsked: number;
}

/** A worker's answer to one order. */
export interface Outcome {
  /** The first test that failed, and why; undefined if all passed. */
  readonly failed: { readonly test: string; readonly why: string } | undefined;
  readonly runs: readonly Run[];
}

/** One run of a test file. */
export interface Run {
  readonly test: string;
  readonly count: number;
  readonly milliseconds: number;
  readonly asked: number;
  /** The mutants that it reached. Only in a run without a mutant. */
  readonly reached: ReadonlySet<number>;
}

/** With each mutant, properties try fewer values than in the suite, and always the same. */
const properties = { seed: 20250101, numRuns: 25, endOnFailure: true };

const modules = new Map<string, unknown>();
const scripts = new Map<string, (...edges: unknown[]) => void>();

async function prepare(bundles: readonly Bundle[]): Promise<void> {
  for (const { test, script, required } of bundles) {
    for (const name of required) if (name !== "vitest") modules.set(name, await import(name));
    const wrapped = `(function (require, module, exports, ${switchName}) { ${script}\n})`;
    scripts.set(test, new Script(wrapped, { filename: join(root, `${test}.js`) }).runInThisContext());
  }
  const assert = (property: fc.IProperty<unknown>, parameters?: fc.Parameters<unknown>): void =>
    fc.assert(property, { ...parameters, ...properties });
  modules.set("fast-check", { ...fc, assert, configureGlobal: () => {} });
}

async function runFile({ test, mostAsked }: Limited, mutant: number | undefined) {
  const reached = new Set<number>();
  const cases: Case[] = [];
  let asked = 0;
  const isOn = (id: number): boolean => {
    if (++asked > mostAsked) throw new Error("an endless loop");
    if (mutant === undefined) reached.add(id);
    return id === mutant;
  };
  const started = performance.now();
  const failed = await firstFailure(() => declare(test, cases, isOn), cases);
  const run: Run = { test, count: cases.length, milliseconds: performance.now() - started, asked, reached };
  return { run, failed };
}

function declare(test: string, cases: Case[], isOn: (id: number) => boolean): void {
  const api = testApi(cases);
  const module = { exports: {} };
  scripts.get(test)?.((name: string) => (name === "vitest" ? api : modules.get(name)), module, module.exports, isOn);
}

async function firstFailure(declareAll: () => void, cases: readonly Case[]): Promise<string | undefined> {
  let current = "its declarations";
  try {
    declareAll();
    for (const { name, run } of cases) {
      current = name;
      const result = run();
      if (result instanceof Promise) await result;
    }
    return undefined;
  } catch (error) {
    return `${current}: ${error instanceof Error ? (error.cause ?? error) : error}`;
  }
}

async function execute({ mutant, tests }: Order): Promise<Outcome> {
  const runs: Run[] = [];
  for (const limited of tests) {
    const { run, failed } = await runFile(limited, mutant);
    runs.push(run);
    if (failed !== undefined) return { failed: { test: limited.test, why: failed }, runs };
  }
  return { failed: undefined, runs };
}

await prepare(workerData as Bundle[]);
parentPort?.on("message", async (order: Order) => parentPort?.postMessage(await execute(order)));
parentPort?.postMessage("ready");
