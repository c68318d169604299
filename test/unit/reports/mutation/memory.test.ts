import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Past, reachOf } from "../../../reports/mutation/judge.ts";
import { Digests, Memory } from "../../../reports/mutation/memory.ts";
import { mutantsOf } from "../../../reports/mutation/mutants.ts";

const [mutant, other] = mutantsOf("shared/one.ts", "f(1);\nf(1);\n").filter(({ type }) => type === "NumericLiteral");
if (!mutant || !other) throw new Error("no mutants");

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), "mutation-memory-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

test("a run knows the last results of earlier ones, of alike mutants, too, and skips half a line", () => {
  const file = join(scratch(), "cache/mutation.jsonl");
  const first = new Memory(file);
  first.note(mutant, { killed: false, digest: "a" });
  first.note(other, { killed: false, digest: "b" });
  first.note(mutant, { killed: true, by: { test: "one.test.ts", index: 2 }, digest: "c" });
  appendFileSync(file, '["shared/one.ts');
  const second = new Memory(file);
  expect(second.recall(mutant)).toEqual({ killed: true, by: { test: "one.test.ts", index: 2 }, digest: "c" });
  expect(second.recall(other)).toEqual({ killed: false, digest: "b" });
  expect(new Memory(file).recall(mutant)).toEqual(second.recall(mutant));
});

test("a digest changes with each file, each entry of a directory, and a file that comes", () => {
  const directory = scratch();
  mkdirSync(join(directory, "inner/node_modules"), { recursive: true });
  const file = join(directory, "inner/one");
  const digests = () => [[file], [directory], [join(directory, "missing")]].map((paths) => new Digests().of(paths));
  const change = (act: () => void) => {
    const before = digests();
    act();
    return digests().map((digest, index) => digest !== before[index]);
  };
  expect(change(() => writeFileSync(file, "1"))).toEqual([true, true, false]);
  expect(change(() => writeFileSync(file, "2"))).toEqual([true, true, false]);
  expect(change(() => writeFileSync(join(directory, "inner/two"), ""))).toEqual([false, true, false]);
  expect(change(() => writeFileSync(join(directory, "missing"), ""))).toEqual([false, true, true]);
  expect(change(() => writeFileSync(join(directory, "inner/node_modules/a"), ""))).toEqual([false, false, false]);
});

test("a verdict holds until a file changes that the killer loads or reads, or that any test of a survivor does", () => {
  const directory = scratch();
  const [source, fixture, far] = ["source.ts", "fixture.json", "far.ts"].map((name) => join(directory, name));
  if (!source || !fixture || !far) throw new Error("no files");
  const memory = new Memory(join(directory, "mutation.jsonl"));
  const bundle = { script: "", required: [] };
  const bundles = [
    { ...bundle, test: "killer.test.ts", files: [source] },
    { ...bundle, test: "far.test.ts", files: [far] },
  ];
  const run = { milliseconds: [0, 1], asked: 1, groups: [""], reached: [new Int32Array(), Int32Array.of(mutant.id)] };
  const runs = [
    { ...run, test: "killer.test.ts", read: [fixture] },
    { ...run, test: "far.test.ts", read: [] },
  ];
  const reaching = reachOf(runs).get(mutant.id) ?? [];
  const past = () => new Past(memory, bundles, runs);
  const killer = { killed: true, by: { test: "killer.test.ts", index: 0 } };
  past().note(mutant, reaching, 1, killer);
  expect(past().verdictOf(mutant, reaching, 1)).toMatchObject(killer);
  writeFileSync(far, "");
  expect(past().verdictOf(mutant, reaching, 1)).toMatchObject(killer);
  for (const file of [source, fixture]) {
    past().note(mutant, reaching, 1, killer);
    writeFileSync(file, "changed");
    expect(past().verdictOf(mutant, reaching, 1)).toBeUndefined();
    expect(past().killersOf(mutant, reaching)).toMatchObject([{ test: "killer.test.ts", cases: [0] }]);
  }
  past().note(mutant, reaching, 1, { killed: false });
  expect(past().verdictOf(mutant, reaching, 1)).toMatchObject({ killed: false });
  expect(past().verdictOf(mutant, reaching.slice(1), 1)).toBeUndefined();
  expect(past().verdictOf(mutant, reaching, 2)).toBeUndefined();
  writeFileSync(far, "changed");
  expect(past().verdictOf(mutant, reaching, 1)).toBeUndefined();
});
