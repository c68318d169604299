// Keeps the scripts of the test files in memory, and runs the requested tests with one mutant on.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Script } from "node:vm";
import fc from "fast-check";
import { type Bundle, root } from "./bundle.ts";
import { switchName } from "./instrument.ts";
import { watchReads } from "./reads.ts";
import { type Case, firstFailure, outermostName, testApi } from "./test-api.ts";

/** The order for a worker: the mutant (none in the first run), and the tests to run until one fails. */
export interface Order {
  readonly mutant: number | undefined;
  readonly tests: readonly Limited[];
  /** How long they may take. */
  readonly limitMs: number;
}

/** Tests of a file, and how often they may ask for a mutant. A test that asks far more often is in an endless loop. */
export interface Limited {
  readonly test: string;
  /** The indexes of the tests in their file, in the order in which they run; all, if it is missing. */
  readonly cases?: readonly number[];
  readonly mostAsked: number;
}

/** A worker's answer to one order. */
export interface Outcome {
  /** The first test that failed, its index in its file, and why; undefined if all passed. */
  readonly failed: { readonly test: string; readonly index: number; readonly why: string } | undefined;
  readonly runs: readonly Run[];
  /** Whether the mutant left this process or its namespaces so that other tests would fail. */
  readonly isSpoiled: boolean;
}

/** One run of a test file. */
export interface Run {
  readonly test: string;
  /** The processor's time for each test, which depends little on other programs; first the declarations and shared hooks. */
  readonly milliseconds: readonly number[];
  readonly asked: number;
  /** The outermost group of each test; an empty text for a test in none. */
  readonly groups: readonly string[];
  /** The mutants that each test reached, first those that its declarations and shared hooks reached. Only without a mutant. */
  readonly reached: readonly Int32Array[];
  /** The files and directories of ours that the tests read, in absolute paths. Only without a mutant. */
  readonly read: readonly string[];
}

/** With each mutant, properties try fewer values than in the suite, and always the same. */
const properties = { seed: 20250101, numRuns: 25, endOnFailure: true };

type Declare = (...edges: unknown[]) => void;

// What `import` returns could not be replaced, as some tests do with functions of node:fs.
const require = createRequire(import.meta.url);
const modules = new Map<string, unknown>();
const bundles = new Map<string, Bundle>();
const scripts = new Map<string, Declare>();
const read = new Set<string>();
watchReads(root, (path) => read.add(path));

const assert = (property: fc.IProperty<unknown>, parameters?: fc.Parameters<unknown>): void =>
  fc.assert(property, { ...parameters, ...properties });
modules.set("fast-check", { ...fc, assert, configureGlobal: () => {} });

async function scriptOf(test: string): Promise<Declare | undefined> {
  const bundle = bundles.get(test);
  if (bundle === undefined || scripts.has(test)) return scripts.get(test);
  for (const name of bundle.required)
    if (name !== "vitest" && !modules.has(name))
      modules.set(name, name.startsWith("/") ? await import(name) : require(name));
  const wrapped = `(function (require, module, exports, ${switchName}) { ${bundle.script}\n})`;
  const declare: Declare = new Script(wrapped, { filename: join(root, `${test}.js`) }).runInThisContext();
  scripts.set(test, declare);
  return declare;
}

async function runFile({ test, cases: chosen, mostAsked }: Limited, mutant: number | undefined) {
  const reached = [new Set<number>()];
  const all: Case[] = [];
  let [asked, current] = [0, 0];
  const isOn = (id: number): boolean => {
    if (++asked > mostAsked) throw new Error("an endless loop");
    if (mutant === undefined) reached[current]?.add(id);
    return id === mutant;
  };
  const declare = await scriptOf(test);
  read.clear();
  const milliseconds = [0];
  let last = processorMs();
  const spend = (): void => {
    const now = processorMs();
    milliseconds[current] = (milliseconds[current] ?? 0) + now - last;
    last = now;
  };
  const failed = await failureOf(
    all,
    chosen,
    () => declareAll(declare, all, isOn),
    (index) => {
      spend();
      current = index === undefined ? 0 : index + 1;
      reached[current] ??= new Set();
    },
  );
  spend();
  const run: Run = {
    ...{ test, milliseconds: Array.from(milliseconds, (spent = 0) => spent), asked },
    groups: all.map(({ group }) => outermostName(group)),
    reached: mutant === undefined ? reached.map((ids) => Int32Array.from(ids)) : [],
    read: mutant === undefined ? [...read] : [],
  };
  return { run, failed };
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function failureOf(
  all: Case[],
  chosen: readonly number[] | undefined,
  declare: () => void,
  begin: (index: number | undefined) => void,
): Promise<{ readonly index: number; readonly why: string } | undefined> {
  try {
    declare();
  } catch (error) {
    return { index: -1, why: `its declarations: ${worded(error)}` };
  }
  const indexes = chosen ?? [...all.keys()];
  const failed = await firstFailure(
    indexes.map((index) => all[index] as Case),
    begin,
  );
  return failed && { index: indexes[failed.index] ?? -1, why: `${failed.name}: ${worded(failed.error)}` };
}

function worded(error: unknown): string {
  return String(error instanceof Error ? (error.cause ?? error.stack) : error);
}

function declareAll(declare: Declare | undefined, cases: Case[], isOn: (id: number) => boolean): void {
  const api = testApi(cases);
  const module = { exports: {} };
  declare?.((name: string) => (name === "vitest" ? api : modules.get(name)), module, module.exports, isOn);
}

async function execute({ mutant, tests }: Order): Promise<Outcome> {
  const runs: Run[] = [];
  let failed: Outcome["failed"];
  for (const limited of tests) {
    const ended = await runFile(limited, mutant);
    runs.push(ended.run);
    failed = ended.failed && { test: limited.test, ...ended.failed };
    if (failed) break;
  }
  return { failed, runs, isSpoiled: mutant !== undefined && isSpoiled() };
}

const atStart = surroundings();

/** What every test depends on. */
function surroundings(): string {
  return JSON.stringify([process.cwd(), process.geteuid?.(), process.umask(), Object.entries(process.env).sort()]);
}

function isSpoiled(): boolean {
  if (surroundings() !== atStart) return true;
  try {
    rmdirSync(mkdtempSync(join(tmpdir(), "worker-")));
  } catch {
    return true;
  }
  return spawnSync("true").status !== 0;
}

process.once("disconnect", () => process.exit());
process.once("message", (given: readonly Bundle[]) => {
  for (const bundle of given) bundles.set(bundle.test, bundle);
  process.on("message", async (order: Order) => process.send?.(await execute(order)));
  process.send?.("ready");
});
