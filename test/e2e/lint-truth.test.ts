import { describe, expect, test } from "vitest";
import { isFaulty, type LintFixture, lintFixtures } from "../support/lint-fixtures.ts";
import { isAsTold, truthOf } from "../support/lint-truth.ts";
import { hostHas, needs } from "../support/needs.ts";

const fixtures = lintFixtures();
const kinds = (Object.keys(needs) as (keyof typeof needs)[]).filter((kind) =>
  fixtures.some((fixture) => fixture.needs === kind),
);

test("each list in which lint finds an error says how it fails", () => {
  const unclear = fixtures.filter((fixture) => isFaulty(fixture) !== (fixture.fails !== undefined));
  expect(unclear.map(({ name }) => name)).toEqual([]);
});

describe("lists with an error fail for the said reason, and lists without a finding pass", () => {
  const patience = 600_000;

  test("on every kernel", () => expectTruth(fixtures.filter((fixture) => !fixture.needs)), patience);

  for (const kind of kinds) {
    const chosen = fixtures.filter((fixture) => fixture.needs === kind);
    test.runIf(hostHas[kind])(`with ${needs[kind]}`, () => expectTruth(chosen), patience);
  }
});

async function expectTruth(chosen: readonly LintFixture[]): Promise<void> {
  // A warning is about a list that works and misleads.
  const judged = chosen.filter((fixture) => isFaulty(fixture) || fixture.findings.length === 0);
  expect(judged.length).toBeGreaterThan(0);
  const wrong = (await truthOf(judged)).filter((truth) => !isAsTold(truth));
  expect(wrong.map(({ fixture, failure }) => [fixture.name, failure])).toEqual([]);
}
