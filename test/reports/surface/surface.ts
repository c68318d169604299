// The surface table: every value of every option in every version, wrapped and plain. Cases that this machine's kernel
// cannot run are compared in a second kernel. `--json` prints the table as data, `--cases 3,5` only these rows.

import { styleText } from "node:util";
import { table } from "../../../build/docs/table.ts";
import { atOnce } from "../../../cli/live/at-once.ts";
import { inParts, rerunInSecondKernel } from "../../kernel/second-kernel.ts";
import { given, text } from "../../support/given.ts";
import { isPossible } from "../../support/needs.ts";
import { say } from "../../support/progress.ts";
import type { OwnedCase } from "./case.ts";
import { leftOut, owners, surfaceCases, tableProblems } from "./cases.ts";
import { type Comparison, compare } from "./compare.ts";
import { goOptions, surfaceVersion } from "./go-options.ts";
import { meaningProblem } from "./meaning.ts";
import { everyVersion, newestVersion } from "./versions.ts";

/** The result of one case: a word for each version, and the problems. */
interface Row {
  readonly owner: string;
  readonly option: string;
  readonly value: string;
  readonly versions: Record<string, string>;
  readonly problems: readonly string[];
}

/** The number of comparisons at a time. They mostly wait for the kernel. */
const workers = 4;

const options = given({ json: false, cases: text });
const all = [...surfaceCases.keys()];
const rows = options.cases === undefined ? await compareAll() : await compareHere(options.cases.split(",").map(Number));
const missing = (await Promise.all(owners.map(async (owner) => tableProblems(owner, await goOptions(owner))))).flat();
const problems = [...missing, ...rows.flatMap((row) => row.problems.map((problem) => `${titleOf(row)}: ${problem}`))];
if (options.cases !== undefined) console.log(JSON.stringify(rows));
else if (options.json)
  console.log(JSON.stringify({ plugins: surfaceVersion, versions: everyVersion, rows, leftOut, problems }, null, 2));
else printTable();
process.exitCode = problems.length === 0 ? 0 : 1;

async function compareAll(): Promise<Row[]> {
  const here = all.filter((index) => isPossible(surfaceCases[index]));
  const elsewhere = all.filter((index) => !here.includes(index));
  const [one, other] = [await compareHere(here), await compareInSecondKernels(elsewhere)];
  return all.flatMap((index) => one[here.indexOf(index)] ?? other[elsewhere.indexOf(index)] ?? []);
}

/** Each CPU has a kernel with its part of the cases. */
async function compareInSecondKernels(indexes: readonly number[]): Promise<Row[]> {
  const found = await inParts(indexes, (own, cpu) =>
    rerunInSecondKernel<Row[]>(import.meta.filename, ["--cases", own.join()], cpu),
  );
  return indexes.map((of, index) => {
    const row = found[index % found.length]?.[Math.floor(index / found.length)];
    if (row === undefined) throw new Error(`the second kernel did not compare case ${of}`);
    return row;
  });
}

function compareHere(indexes: readonly number[]): Promise<readonly Row[]> {
  const compareOne = (index: number) => compareInEveryVersion(surfaceCases[index] as OwnedCase);
  return atOnce(indexes, workers, compareOne, (done) => say(`${done} of ${indexes.length} compared`));
}

async function compareInEveryVersion(each: OwnedCase): Promise<Row> {
  const { owner, option, value } = each;
  const versions: Record<string, string> = {};
  const problems: string[] = [];
  for (const version of everyVersion) {
    const run = await compare(each, version);
    versions[version] = wordFor(run);
    if (run.verdict === "differs") problems.push(`${version}: ${described(run)}`);
    const unclear = version === newestVersion ? await meaningProblem(each, version, run) : undefined;
    if (unclear) problems.push(`${version}: ${unclear}`);
  }
  return { owner, option, value, versions, problems };
}

function wordFor({ verdict, differences }: Comparison): string {
  switch (verdict) {
    case "same":
      return "same";
    case "refused":
      return "-";
    case "allowed":
      return `differs (allowed: ${differences.map(({ allowed }) => allowed).join(", ")})`;
    case "differs":
      return "DIFFERS";
    default:
      return verdict satisfies never;
  }
}

function described({ differences, plain, wrapped }: Comparison): string {
  const [first] = differences.filter(({ allowed }) => allowed === undefined);
  if (!first) return "";
  const { step } = first;
  return `${step}: plain ${JSON.stringify(plain[step])}, wrapped ${JSON.stringify(wrapped[step])}`.slice(0, 2000);
}

function titleOf({ owner, option, value }: Pick<Row, "owner" | "option" | "value">): string {
  return `${owner} ${option}: ${value}`;
}

function printTable(): void {
  console.log(`Reference plugins ${surfaceVersion}: wrapped and plain, in every version of the specification.`);
  for (const owner of owners) {
    const own = rows.filter((row) => row.owner === owner);
    const lines = own.map(({ option, value, versions }) => [`${option}: ${value}`, ...Object.values(versions)]);
    console.log(`\n${table([owner, ...everyVersion], lines)}`);
    for (const { option, why, ...left } of leftOut)
      if (left.owner === owner) console.log(`${option}: left out: ${why}`);
  }
  console.log(`\n${summary()}`);
  for (const problem of problems) console.log(styleText("red", problem));
}

function summary(): string {
  const words = rows.flatMap(({ versions }) => Object.values(versions));
  const kinds: [string, RegExp][] = [
    ["same", /^same$/],
    ["refused by the plugin (-), with the same words", /^-$/],
    ["differ as allowed", /^differs/],
    ["differ", /^DIFFERS$/],
  ];
  const counts = kinds.map(([name, pattern]) => `${words.filter((word) => pattern.test(word)).length} ${name}`);
  return `${words.length} comparisons: ${counts.join(", ")}.`;
}
