// `npm run test:fuzz`: looks for values for which a property of the unit tests fails. Values that run new code lead to the
// next ones. A found value becomes a fixture, which the unit tests try from then on.
//
//     node test/fuzz/fuzz.ts                               1,000,000 inputs, spread over all properties
//     node test/fuzz/fuzz.ts --count 20000 --seed 42       so many inputs; the seed that an earlier run printed
//     node test/fuzz/fuzz.ts --only splice                 only properties with this text in their file or name
//     node test/fuzz/fuzz.ts --faults shared/attachment/narrow.ts
//                                                          for each small fault of these files: the inputs until it is found

import { randomInt } from "node:crypto";
import { matchesGlob } from "node:path";
import { SingleBar } from "cli-progress";
import { table } from "../../build/docs/table.ts";
import { given, text } from "../support/given.ts";
import { tellFaults } from "./faults.ts";
import { foundIn, writeFound } from "./found.ts";
import { type Done, Pool } from "./pool.ts";
import { bundled, codeWithPoints, tests } from "./targets.ts";

const values = given({ count: 1_000_000, seed: randomInt(2 ** 31), only: "", faults: text });
const { count, seed } = values;

const { mutants, sources } = codeWithPoints();
const pool = new Pool({ bundles: await bundled(tests, sources), points: mutants.length });
const all = await pool.targets();
const targets = all.filter(({ test, name }) => `${test} ${name}`.includes(values.only));
if (targets.length === 0) throw new Error(`no property has "${values.only}" in its file or name`);
const share = Math.ceil(count / targets.length);
const orders = targets.map((target) => ({ ...target, seed, count: share }));
console.log(`${share * targets.length} inputs, ${targets.length} properties, seed ${seed}`);

if (values.faults === undefined) {
  const format = "[{bar}] {value} of {total} inputs, {duration} s, {eta} s left";
  const bar = new SingleBar({ format, noTTYOutput: true, notTTYSchedule: 60_000 });
  bar.start(share * targets.length, 0);
  const done = await pool.search(orders, (inputs) => bar.increment(inputs));
  bar.stop();
  tell(done);
} else {
  const glob = values.faults;
  await tellFaults(
    pool,
    mutants.filter(({ file }) => matchesGlob(file, glob)),
    orders,
  );
}
await pool.stop();

function tell(done: readonly Done[]): void {
  const rows = done.map(({ order, search: { inputs, points, kept, failure } }) => {
    return [
      `${order.test.replace(/^test\/unit\//, "")}: ${order.name}`,
      `${inputs}`,
      `${points}`,
      `${kept}`,
      failure ? "FAILS" : "holds",
    ];
  });
  console.log(table(["property", "inputs", "points of the code", "inputs kept", "outcome"], rows));
  const failed = done.filter(({ search }) => search.failure);
  for (const one of failed) tellFailure(one);
  const inputs = done.reduce((sum, { search }) => sum + search.inputs, 0);
  console.log(
    `\ntotal: ${inputs} inputs, ${done.length} properties, ${failed.length} failed; --seed ${seed} repeats this`,
  );
  if (failed.length > 0) process.exitCode = 1;
}

function tellFailure({ order, search: { failure }, text, isKept }: Done): void {
  console.log(`\n${order.test}: ${order.name}\nafter ${failure?.inputs} inputs: ${failure?.why}\n${text}`);
  console.log(
    isKept ? `Wrote ${writeFound(foundIn(text))}.` : "JSON cannot keep this value: only the seed repeats it.",
  );
}
