import { describe, expect, test } from "vitest";
import { isFaulty, lintFixtures, needsJq } from "../support/lint-fixtures.ts";
import { wronglyTold } from "../support/lint-truth.ts";
import { hostHas, needs } from "../support/needs.ts";

// lint-plugins.test.ts runs those with jq.
const fixtures = lintFixtures().filter((fixture) => !needsJq(fixture));
const kinds = (Object.keys(needs) as (keyof typeof needs)[]).filter((kind) =>
  fixtures.some((fixture) => fixture.needs === kind),
);

test("each list in which lint finds an error says how it fails", () => {
  const unclear = fixtures.filter((fixture) => isFaulty(fixture) !== (fixture.fails !== undefined));
  expect(unclear.map(({ name }) => name)).toEqual([]);
});

describe("lists with an error fail for the said reason, and lists without a finding pass", () => {
  const patience = 600_000;

  test("on every kernel", () => expectTold(fixtures.filter((fixture) => !fixture.needs)), patience);

  for (const kind of kinds) {
    const chosen = fixtures.filter((fixture) => fixture.needs === kind);
    test.runIf(hostHas[kind])(`with ${needs[kind]}`, () => expectTold(chosen), patience);
  }

  async function expectTold(chosen: typeof fixtures): Promise<void> {
    expect(await wronglyTold(chosen)).toEqual([]);
  }
});
