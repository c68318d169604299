import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { faultKinds } from "../simulate/event.ts";
import { plantedFaults } from "../simulate/planted-faults.ts";
import type { Sabotage } from "../simulate/process.ts";
import { scenarios } from "../simulate/scenarios.ts";
import { runEvents, runSeed, shortest } from "../simulate/search.ts";

// `npm run test:simulate` runs 100,000 schedules.

const limit = Error.stackTraceLimit;
// Every stop is an error. Their stacks take most of the time.
beforeAll(() => {
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  Error.stackTraceLimit = limit;
});

test("no promise is broken in 50 schedules, in which everything happens", () => {
  const kinds = new Set<string>();
  for (let seed = 0; seed < 50; seed++) {
    const { broken, log } = runSeed(seed, false);
    expect(broken).toBeUndefined();
    for (const kind of log.counts.keys()) kinds.add(kind);
  }
  const events = ["ADD", "CHECK", "DEL", "GC", "reboot", "lose the namespace", "wait", "passed", "failed"];
  expect([...kinds]).toEqual(
    expect.arrayContaining([...events, ...faultKinds.slice(0, 5).map((kind) => `fault: ${kind}`)]),
  );
});

test.each([false, true])("a seed always gives the same schedule, with siblings: %s", (hasSiblings) => {
  for (let seed = 0; seed < 5; seed++) {
    const [one, other] = [runSeed(seed, hasSiblings), runSeed(seed, hasSiblings)];
    expect(one.log.history).toEqual(other.log.history);
  }
});

test.each(Object.entries(scenarios))("scenarios: %s", (_, [lists, ...events]) => {
  expect(runEvents(lists, events).broken).toBeUndefined();
});

test("no promise is broken in 20 schedules with siblings", () => {
  for (let seed = 0; seed < 20; seed++) expect(runSeed(seed, true).broken).toBeUndefined();
});

test("a broken schedule is made shorter, and breaks the same promise", () => {
  const [lists, ...events] = scenarios["limits of a failed ADD are deleted"] ?? [{}];
  const more = [{ do: "wait", minutes: 1 } as const, ...events, { do: "reboot" } as const];
  const options = { sabotage: { removeFile: () => {} } };
  const long = runEvents(lists, more, options);
  const short = shortest(long, options);
  expect(long.broken?.promise).toBe("DEL leaves nothing");
  expect(short.events).toHaveLength(1);
  expect(short.broken?.promise).toBe("DEL leaves nothing");
});

const sabotages: Readonly<Record<string, { by: Sabotage; breaks: RegExp }>> = {
  "journals stay": { by: { removeFile: () => {} }, breaks: /^DEL leaves nothing: .*\/var\/lib\/cni\/wrappers/ },
  "no journals are written": { by: { appendJournal: () => undefined }, breaks: /^ADD passes: .*"code":108/ },
  "no links are seen": { by: { linkIndex: () => undefined }, breaks: /^ADD passes: .*(duplicate|exists)/ },
  "directories are empty": { by: { listDirectory: () => [] }, breaks: /leaves nothing/ },
  // Nothing is undone, then.
  "directories are not read": { by: { listDirectory: () => undefined }, breaks: /^(ADD|DEL) passes: / },
  "wrappers answer nothing": {
    by: { writeStdout: () => {} },
    breaks: /^ADD gives all that the list asks for: .* no addresses/,
  },
};

test.each(Object.entries(sabotages))("a broken promise is seen: %s", (_, { by, breaks }) => {
  const seeds = Array.from({ length: 40 }, (_, seed) => seed);
  const first = seeds
    .values()
    .map((seed) => runSeed(seed, false, by).broken)
    .find((broken) => broken !== undefined);
  expect(first?.message).toMatch(breaks);
});

test("the model imports nothing of Node", () => {
  const folder = join(import.meta.dirname, "../../cli/model");
  const files = globSync("*.ts", { cwd: folder });
  const text = files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
  const paths = [...text.matchAll(/from "([^"]+)"/g)].map(([, path = ""]) => path);
  expect(files.length).toBeGreaterThan(0);
  expect(
    paths.filter(
      (path) =>
        !/^zod$|^\.\/|^\.\.\/(?:lists\/(?:addresses|kernel-text|list)|live\/libcni)\.ts$|^\.\.\/\.\.\/(?:plugins|shared\/(?!host\/node))/.test(
          path,
        ),
    ),
  ).toEqual([]);
});

test.each(Object.entries(plantedFaults))("each planted fault changes one place of %s", (file, faults) => {
  const source = readFileSync(join(import.meta.dirname, "../..", file), "utf8");
  for (const [name, [from, to]] of Object.entries(faults)) {
    expect(source.split(from), name).toHaveLength(2);
    expect(to, name).not.toBe(from);
  }
});
