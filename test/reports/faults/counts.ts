import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Case } from "./case.ts";
import { kindOf } from "./cases.ts";
import type { Result } from "./run.ts";

/** How many cases of each verb and fault a flavor runs at least, such as `{"ADD KILL": 120}`. */
export type Counts = Readonly<Record<string, number>>;

const file = path.join(import.meta.dirname, "counts.json");

/** Returns the committed counts of a flavor. */
export async function readCounts(flavor: string): Promise<Counts> {
  return (await allCounts())[flavor] ?? {};
}

/**
 * Writes the counts of a usual run. A tenth is left out, because the number of calls varies with the host. Node's threads make
 * other calls in each run, so half of its cases are left out.
 */
export async function writeCounts(flavor: string, cases: readonly Case[]): Promise<void> {
  const share = flavor === "slim" ? 0.9 : 0.5;
  const counts = Object.entries(countsOf(cases)).map(([name, count]) => [name, Math.floor(count * share)]);
  await writeFile(
    file,
    `${JSON.stringify({ ...(await allCounts()), [flavor]: Object.fromEntries(counts) }, null, 2)}\n`,
  );
}

/** Returns the verbs and faults whose cases reached their call less often than expected. */
export function fewer(expected: Counts, results: readonly Result[]): string[] {
  const counts = countsOf(results.filter(({ verdict }) => verdict.isReached).map(({ each }) => each));
  return Object.entries(expected)
    .filter(([name, count]) => (counts[name] ?? 0) < count)
    .map(([name, count]) => `${name}: ${counts[name] ?? 0} of ${count}`);
}

function countsOf(cases: readonly Case[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(cases, kindOf)].map(([kind, own]) => [kind, own.length]));
}

async function allCounts(): Promise<Record<string, Counts>> {
  return JSON.parse(await readFile(file, "utf8"));
}
