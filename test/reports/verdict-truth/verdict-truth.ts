// `npm run verdict-truth`: what `explain` says about lists, and what the real plugins do.

import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { table } from "../../../build/docs/table.ts";
import { atOnce } from "../../../cli/live/at-once.ts";
import { examples, plainListOf } from "../../support/examples.ts";
import { given, text } from "../../support/given.ts";
import { lintFixtures } from "../../support/lint-fixtures.ts";
import { hostHas, isPossible } from "../../support/needs.ts";
import { say } from "../../support/progress.ts";
import { recordCalls } from "./calls.ts";
import { candidateOf, judge, type Words, wordsOf } from "./compare.ts";
import { differences, reasonOf } from "./differences.ts";
import { generated } from "./generate.ts";
import { record, recorded } from "./recorded.ts";
import { type Candidate, seenOf } from "./truth.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const values = given({
  ...{ count: 1000, seed: 1, only: "", sources: "README,examples,lint,public,generated" },
  // A directory with what the real plugins did, a file for each list: it is taken from there if it is known.
  keep: text,
  // Runs the lists and calls of the unit tests' tables again, and writes them.
  write: false,
});

function read(name: string): Candidate {
  return candidateOf(path.basename(name), readFileSync(path.join(root, name), "utf8"));
}

const sources: Readonly<Record<string, () => Candidate[]>> = {
  README: () => [
    candidateOf("plain.conflist", JSON.stringify(plainListOf("macvlan-bridge"))),
    read("conf-examples/macvlan-bridge.conflist"),
  ],
  examples: () =>
    globSync("conf-examples/*.conflist", { cwd: root })
      .sort()
      .filter((file) => isPossible(examples[path.basename(file, ".conflist")]))
      .map(read),
  lint: () =>
    lintFixtures()
      .filter(isPossible)
      .map(({ name, file }) => ({ ...candidateOf(path.basename(file), readFileSync(file, "utf8")), name })),
  public: () =>
    globSync("test/fixtures/lists/*.{conf,conflist}", { cwd: root })
      .sort()
      .map(read)
      .filter(({ text }) => hostHas.bridgeVlanFiltering || !/"vlan(Trunk)?":/.test(text)),
  generated: () => generated(values.seed, values.count),
  recorded: () => recorded().map(({ candidate }) => candidate),
};

async function kept(candidate: Candidate): Promise<Words> {
  if (values.keep === undefined) return wordsOf(await seenOf(candidate));
  mkdirSync(values.keep, { recursive: true });
  const digest = createHash("sha256").update(JSON.stringify(candidate)).digest("hex").slice(0, 16);
  const file = path.join(values.keep, `${digest}.json`);
  if (existsSync(file)) return wordsOf(JSON.parse(readFileSync(file, "utf8")));
  const seen = await seenOf(candidate);
  writeFileSync(file, JSON.stringify(seen));
  return wordsOf(seen);
}

if (values.write) await Promise.all([record(), recordCalls()]);

const rows: string[][] = [];
for (const source of values.sources.split(",")) {
  const chosen = (sources[source]?.() ?? []).filter(({ name }) => name.includes(values.only));
  const all = await atOnce(chosen, 3, async (one) => {
    const compared = judge(one, await kept(one));
    for (const { event, model, real, isEqual, isKnown } of compared) {
      if (!isEqual && isKnown && !reasonOf({ list: one.name, event }))
        say(`${source} ${one.name} ${event}\n  model: ${model}\n  real:  ${real}`);
    }
    if (source === "generated" && compared.some(({ isEqual }) => !isEqual)) say(`  ${one.text}`);
    return compared;
  });
  const found = all.flat();
  const known = found.filter(({ isKnown }) => isKnown);
  const equal = known.filter(({ isEqual }) => isEqual);
  const explained = known.filter((one) => !one.isEqual && reasonOf(one) !== undefined);
  for (const { list, event } of equal.filter((one) => reasonOf(one) !== undefined)) {
    say(`${source} ${list} ${event}: equal, so its reason in differences.ts must go`);
    process.exitCode = 1;
  }
  const lists = new Set(found.map(({ list }) => list)).size;
  const unknown = new Set(found.filter(({ isKnown }) => !isKnown).map(({ list }) => list)).size;
  const share = known.length === 0 ? "" : `${((100 * equal.length) / known.length).toFixed(2)} %`;
  rows.push([source, `${lists}`, `${unknown}`, `${equal.length} of ${known.length}`, share, `${explained.length}`]);
  const least = source === "generated" ? known.length * 0.99 : known.length - explained.length;
  if (equal.length < least) process.exitCode = 1;
}
console.log(table(["lists", "number", "not known", "events equal", "share", "differ with a reason"], rows));
for (const { list, event, reason } of differences) console.log(`- ${list}, ${event}: ${reason}`);
