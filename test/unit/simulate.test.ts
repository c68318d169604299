import { afterAll, beforeAll, expect, test } from "vitest";
import { Broken } from "../simulate/log.ts";
import { Simulation } from "../simulate/simulation.ts";
import type { Sabotage } from "../simulate/wrapper.ts";

// `npm run test:simulate` runs 100,000 schedules.

const limit = Error.stackTraceLimit;
// Every kill is an error. Their stacks take most of the time.
beforeAll(() => {
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  Error.stackTraceLimit = limit;
});

test("no promise is broken in 60 schedules, in which everything happens", () => {
  const kinds = new Set<string>();
  for (let seed = 0; seed < 60; seed++) {
    const simulation = new Simulation(seed);
    simulation.run();
    for (const kind of simulation.log.counts.keys()) kinds.add(kind);
  }
  const faults = ["kill", "plugin", "error", "power", "other container", "namespace", "gc"].map(
    (kind) => `fault: ${kind}`,
  );
  expect([...kinds]).toEqual(
    expect.arrayContaining([
      ...faults,
      "GC passed",
      "second ADD failed",
      "ADD of a clash failed",
      "CHECK of a lost address failed",
    ]),
  );
});

test("a seed always gives the same schedule", () => {
  const [one, other] = [new Simulation(7), new Simulation(7)];
  one.run();
  other.run();
  expect(one.log.history).toEqual(other.log.history);
});

const sabotages: Readonly<Record<string, { by: Sabotage; breaks: RegExp }>> = {
  "records stay": { by: { removeFile: () => {} }, breaks: /^left after DEL: \/var\/lib\/cni\/wrappers/ },
  "no records are written": { by: { writeFile: () => undefined }, breaks: /^ADD must pass: .*(duplicate|exists)/ },
  "no links are seen": { by: { linkIndex: () => undefined }, breaks: /^ADD must pass: .*(duplicate|exists)/ },
  "directories are empty": { by: { listDirectory: () => [] }, breaks: /^left (after GC|after DEL|at the end)/ },
  "wrappers answer nothing": { by: { writeStdout: () => {} }, breaks: /^ADD must pass: ADD of tuning/ },
};

test.each(Object.entries(sabotages))("a broken promise is seen: %s", (_, { by, breaks }) => {
  expect(brokenBy(by)).toMatch(breaks);
});

/** The first broken promise in some schedules. */
function brokenBy(sabotage: Sabotage): string | undefined {
  for (let seed = 0; seed < 30; seed++) {
    try {
      new Simulation(seed, sabotage).run();
    } catch (error) {
      if (error instanceof Broken) return error.message;
      throw error;
    }
  }
  return undefined;
}
