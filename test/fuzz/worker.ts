// Searches one property after another, as the command orders.
import { isDeepStrictEqual } from "node:util";
import { parentPort, workerData } from "node:worker_threads";
import type { Bundle } from "../reports/mutation/bundle.ts";
import { foundIn, textOf } from "./found.ts";
import { Hits } from "./hits.ts";
import { problemOf, type Search, search } from "./search.ts";
import { type Target, targetsOf } from "./targets.ts";

/** A property to search. */
export interface Order {
  readonly test: string;
  readonly name: string;
  readonly seed: number;
  readonly count: number;
  /** The point at which the code is wrong, to show that the search finds it. */
  readonly fault?: number;
}

/** What a worker says: the properties that it has, how far it is, or the end of a search. */
export type Said =
  | { readonly targets: readonly Pick<Target, "test" | "name">[] }
  | { readonly more: number }
  | { readonly search: Search; readonly text: string; readonly isKept: boolean };

/** The test files, and the number of points in the code. */
export interface Work {
  readonly bundles: readonly Bundle[];
  readonly points: number;
}

const { bundles, points } = workerData as Work;
let hits = new Hits(points);
let fault: number | undefined;

const targets: Target[] = [];
for (const bundle of bundles) {
  const hit = (point: number) => {
    hits.hit(point);
    return point === fault;
  };
  targets.push(...(await targetsOf(bundle, hit)));
}

function say(said: Said): void {
  parentPort?.postMessage(said);
}

function execute({ test, name, seed, count, fault: wrong }: Order): void {
  const target = targets.find((one) => one.test === test && one.name === name);
  if (!target) throw new Error(`${test} has no property "${name}"`);
  [hits, fault] = [new Hits(points), wrong];
  let told = 0;
  const report = (inputs: number) => {
    if (inputs - told < 1000) return;
    say({ more: inputs - told });
    told = inputs;
  };
  const result = search(target.property, hits, { seed, count, report });
  say({ more: result.inputs - told });
  const found = { test, property: name, value: result.failure?.value };
  const text = result.failure ? textOf(found) : "";
  const again = result.failure && foundIn(text).value;
  // JSON has no undefined and no -0.
  const isKept = isDeepStrictEqual(again, found.value) || problemOf(target.property, again) !== undefined;
  const { failure } = result;
  say({ search: { ...result, ...(failure && { failure: { ...failure, value: undefined } }) }, text, isKept });
}

parentPort?.on("message", execute);
say({ targets: targets.map(({ test, name }) => ({ test, name })) });
