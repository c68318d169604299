// Kills each wrapper of a real chain at its system calls, and lets each of them fail with the errors that it can return.
// Then the runtime goes on, and nothing may be left. It exits with 1 if something is left, a neighbour changed, or fewer
// cases ran than counts.json says.

import { availableParallelism } from "node:os";
import { execa } from "execa";
import { table } from "../../../build/docs/table.ts";
import { flavors } from "../../support/flavors.ts";
import { given, text } from "../../support/given.ts";
import { say } from "../../support/progress.ts";
import { type Case, now, tracedCalls } from "./case.ts";
import { casesOf, sampleOf } from "./cases.ts";
import { Chain, targets, verbs } from "./chain.ts";
import { fewer, readCounts, writeCounts } from "./counts.ts";
import { plantedTraces, unseenTraces } from "./planted.ts";
import { rowsOf } from "./report.ts";
import { type Result, runCases } from "./run.ts";
import { faults, nodeCalls } from "./system-calls.ts";

const options = given({
  ...{ verb: [], target: [], flavor: [], fault: [] },
  /** Every fault at every call, and the whole Node flavor. */
  all: false,
  /** Only each nth case. */
  every: text,
  /** Writes counts.json. */
  update: false,
});
const hosts = Math.min(2, availableParallelism());
const chosen = {
  verbs: choice(options.verb, verbs, "--verb"),
  targets: choice(options.target, targets, "--target"),
  flavors: choice(options.flavor, ["slim", "node"] as const, "--flavor"),
  faults: choice(options.fault, faults, "--fault"),
};

/** Whether the options choose nothing, so that counts.json has the number of cases. */
const isUsual =
  [options.verb, options.target, options.fault].every(({ length }) => length === 0) && !options.every && !options.all;

const flavor = process.env.CNI_WRAPPERS_FLAVOR;
process.exitCode = flavor === undefined ? await runFlavors() : await runFlavor(flavor);

/** Runs this program once for each flavor. The variables choose the wrappers of every lab. */
async function runFlavors(): Promise<number> {
  let worst = 0;
  for (const { env } of flavors.filter((each) =>
    chosen.flavors.some((name) => name === each.env.CNI_WRAPPERS_FLAVOR),
  )) {
    const args = [import.meta.filename, ...process.argv.slice(2)];
    const { exitCode = 1 } = await execa(process.execPath, args, { env, stdio: "inherit", reject: false });
    worst = Math.max(worst, exitCode);
  }
  return worst;
}

/** Returns the exit code: 1 if a case left something or too few ran. */
async function runFlavor(flavor: string): Promise<number> {
  const every = options.every === undefined ? usualStep(flavor) : numberOf(options.every);
  const found = await casesFor(flavor);
  const cases = sampleOf(found, every);
  say(`${flavor}: ${found.length} cases${every > 1 ? `, and every ${every}th runs: ${cases.length}` : ""}`);
  if (options.update) await writeCounts(flavor, cases);
  let count = 0;
  const results = await runCases(cases, hosts, ({ each, verdict }) => {
    if (++count % 20 === 0 || count === cases.length) say(`${flavor}: ${count} of ${cases.length}`);
    if (verdict.left.length > 0)
      say(`${flavor}: ${nameOf(each)}: ${verdict.left.slice(0, 6).join("; ").slice(0, 1000)}`);
  });
  print(flavor, results);
  const missing = isUsual ? fewer(await readCounts(flavor), results) : [];
  for (const each of missing) console.log(`${flavor}: too few cases: ${each}`);
  const dirty = results.filter(({ verdict }) => verdict.left.length > 0).length;
  const hung = results.filter(({ verdict }) => verdict.isHung).length;
  const dead = results.filter(({ verdict }) => verdict.death !== undefined).length;
  console.log(
    `\ntotal: ${flavor}: ${results.length} cases, ${hung} hung, ${dead} ended by a signal, ${dirty} left something`,
  );
  return dirty === 0 && results.length === cases.length && missing.length === 0 ? 0 : 1;
}

/** Node makes many more calls, and its start takes longer: usually a sample of them runs. */
function usualStep(flavor: string): number {
  return flavor === "slim" || options.all ? 1 : 40;
}

/** Traces each verb of each wrapper once, and makes the cases from the system calls. First it tests the comparison. */
async function casesFor(flavor: string): Promise<Case[]> {
  await using chain = await Chain.start();
  const unseen = await unseenTraces(chain, { alone: await now(chain) });
  if (unseen.length > 0) throw new Error(`the comparison does not see: ${unseen.join(", ")}`);
  say(`${flavor}: the comparison sees all ${plantedTraces} planted traces`);
  const extent = { isWhole: options.all, faults: chosen.faults };
  const cases: Case[] = [];
  for (const verb of chosen.verbs) {
    for (const target of chosen.targets) {
      const calls = (await tracedCalls(chain, verb, target)).filter(({ name }) => isChosen(flavor, name));
      const own = casesOf(verb, target, calls, extent);
      say(`${flavor}: ${verb} of ${target} makes ${calls.length} system calls: ${own.length} cases`);
      cases.push(...own);
    }
  }
  return cases;
}

function isChosen(flavor: string, name: string): boolean {
  return flavor === "slim" || nodeCalls.includes(name);
}

function nameOf({ verb, target, call, fault, next }: Case): string {
  return `${verb} of ${target}, ${fault} at ${call.name} ${call.nth}, then ${next}`;
}

function print(flavor: string, results: readonly Result[]): void {
  const columns = [
    "flavor",
    "verb",
    "fault",
    "system calls",
    "cases",
    "not reached",
    "hung",
    "by a signal",
    "left something",
  ];
  console.log(table(columns, rowsOf(flavor, results)));
  for (const { each, verdict } of results) {
    if (verdict.isHung) console.log(`\n${flavor}: ${nameOf(each)}: it hung until it was killed`);
    if (verdict.death) console.log(`\n${flavor}: ${nameOf(each)}: it ended by ${verdict.death}`);
    if (verdict.left.length > 0) console.log(`\n${flavor}: ${nameOf(each)}\n  ${verdict.left.join("\n  ")}`);
  }
}

function numberOf(every: string): number {
  const number = Number(every);
  if (!Number.isInteger(number) || number < 1) throw new Error("--every: a whole number from 1 on");
  return number;
}

function choice<T extends string>(names: readonly string[], known: readonly T[], option: string): readonly T[] {
  if (names.length === 0) return known;
  const found = known.filter((each) => names.some((name) => each === name || each === `${name}-wrapper`));
  if (found.length !== names.length) throw new Error(`${option}: one of ${known.join(", ")}`);
  return found;
}
