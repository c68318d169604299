import { describe, expect, test } from "vitest";
import { owners, surfaceCases, tableProblems } from "../reports/surface/cases.ts";
import { type Comparison, compare } from "../reports/surface/compare.ts";
import { goOptions } from "../reports/surface/go-options.ts";
import { meaningProblem } from "../reports/surface/meaning.ts";
import { newestVersion, sampleVersions } from "../reports/surface/versions.ts";
import { hostHas } from "../support/needs.ts";

// Every option of bridge and macvlan, and of their host-local and static, is the same wrapped and plain. `npm run surface`
// runs all of it in every version.

describe("the tables of cases", () => {
  test.each(owners)("name every option of %s's Go structs, and no other", async (owner) => {
    expect(tableProblems(owner, await goOptions(owner))).toEqual([]);
  });
});

const cases = surfaceCases.map((each) => ({ ...each, each, versions: sampleVersions(each) }));

describe.concurrent("wrapped is as plain:", () => {
  for (const { each, owner, option, value, needs, versions } of cases) {
    const title = `${owner}: ${option}, ${value} (${versions.join(", ")})`;
    test.skipIf(needs && !hostHas[needs])(title, async ({ expect }) => {
      for (const version of versions) {
        const run = await compare(each, version);
        const step = firstDifference(run);
        if (step) expect(run.wrapped[step], `${version}, ${step}`).toEqual(run.plain[step]);
        if (version === newestVersion) expect(await meaningProblem(each, version, run)).toBeUndefined();
      }
    });
  }
});

function firstDifference({ differences }: Comparison) {
  return differences.find(({ allowed }) => allowed === undefined)?.step;
}
