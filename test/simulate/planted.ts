// `npm run test:simulate -- --planted`: puts one fault after the other into the core, and looks for a scenario, or else a schedule
// with siblings, that breaks a promise with it. Nothing in the repository changes: a fault is made while its file is loaded.
import { fork } from "node:child_process";
import { once } from "node:events";
import { registerHooks } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { table } from "../../build/docs/table.ts";
import { say } from "../support/progress.ts";
import { plantedFaults } from "./planted-faults.ts";
import { scenarios } from "./scenarios.ts";
import type { Ran } from "./search.ts";

const root = path.resolve(import.meta.dirname, "../..");
/** So many schedules run for a fault that no scenario sees. */
const mostSchedules = 20_000;

/** The first scenario or schedule that breaks a promise; undefined if none does. */
type Seen = { readonly by: string; readonly promise: string } | undefined;

if (import.meta.main) {
  const [, , file = "", name = ""] = process.argv;
  process.send?.({ seen: await firstSeen(file, name) });
}

/** Tells what sees each fault, and breaks no promise without it. Returns the exit code: 1 if a fault is not seen. */
export async function tellPlanted(): Promise<number> {
  const rows: string[][] = [];
  const { runSeed } = await import("./search.ts");
  const faults = Object.entries(plantedFaults).flatMap(([file, own]) => Object.keys(own).map((name) => [file, name]));
  for (const [file = "", name = ""] of faults) {
    const child = fork(import.meta.filename, [file, name]);
    const [[{ seen }]] = (await Promise.all([once(child, "message"), once(child, "exit")])) as [
      [{ seen: Seen }],
      unknown,
    ];
    const [, seed] = /^seed (\d+)$/.exec(seen?.by ?? "") ?? [];
    if (seed && runSeed(Number(seed), true).broken) throw new Error(`seed ${seed} breaks a promise without a fault`);
    say(`${name}: ${seen?.by ?? "not seen"}`);
    rows.push([name, seen?.by ?? "not seen", seen?.promise ?? ""]);
  }
  const unseen = rows.filter(([, by]) => by === "not seen").length;
  console.log(table(["fault in the core", "seen by", "broken promise"], rows));
  console.log(`\ntotal: ${rows.length} faults, ${unseen} not seen in ${mostSchedules} schedules`);
  return unseen > 0 ? 1 : 0;
}

async function firstSeen(file: string, name: string): Promise<Seen> {
  Error.stackTraceLimit = 0;
  plant(file, name);
  const { runEvents, runSeed } = await import("./search.ts");
  const bySeeds = (): Seen => {
    for (let seed = 0; seed < mostSchedules; seed++) {
      const promise = brokenPromise(() => runSeed(seed, true));
      if (promise) return { by: `seed ${seed}`, promise };
    }
    return undefined;
  };
  const byScenarios = (): Seen => {
    for (const [title, [lists, ...events]] of Object.entries(scenarios)) {
      const promise = brokenPromise(() => runEvents(lists, events));
      if (promise) return { by: title, promise };
    }
    return undefined;
  };
  return byScenarios() ?? bySeeds();
}

function brokenPromise(run: () => Ran): string | undefined {
  try {
    return run().broken?.promise;
  } catch (error) {
    return `the core ends with: ${error}`;
  }
}

function plant(file: string, name: string): void {
  const [from, to] = plantedFaults[file]?.[name] ?? [];
  if (from === undefined || to === undefined) throw new Error(`no fault ${name}`);
  const url = pathToFileURL(path.join(root, file)).href;
  registerHooks({
    load(loaded, context, nextLoad) {
      const module = nextLoad(loaded, context);
      return loaded === url ? { ...module, source: String(module.source).replace(from, () => to) } : module;
    },
  });
}
