import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { type ConformanceCase, isIn } from "../../conformance/case.ts";
import { concerns, conformanceCases } from "../../conformance/cases.ts";
import { runCases } from "../../conformance/run.ts";
import { specVersions } from "../../conformance/specification.ts";
import { readCommitted } from "../reports/conformance/results.ts";
import { setups } from "../reports/conformance/setups.ts";
import { Lab } from "../support/lab.ts";
import { scratch } from "../support/tree.ts";
import { mutantsOf, scriptOf } from "./conformance-mutants.ts";

/** A plugin with a fault, and the case that must see it. Without a fault, it is like the real plugin. */
interface Try {
  readonly each: ConformanceCase;
  readonly mutant: string;
  readonly type: string;
}

test("every conformance case has a plugin that breaks its rule", () => {
  expect(conformanceCases.filter(({ name }) => mutantsOf(name).length === 0).map(({ name }) => name)).toEqual([]);
});

test.each(["bridge", "portmap"])(
  "for each rule, the conformance cases see that a plugin like %s breaks it",
  async (plugin) => {
    const own = conformanceCases.filter((each) => isTriedWith(plugin, each));
    const tries = own.flatMap((each) => ["", ...mutantsOf(each.name)].map((mutant) => ({ each, mutant })));
    const numbered = tries.map((one, index): Try => ({ ...one, type: `mutant-${index}` }));
    const seen = await seenBy(plugin, numbered);
    const unseen = numbered.filter((one) => one.mutant !== "" && !seen.has(one));
    expect(unseen.map(({ each, mutant }) => `${each.name}: ${mutant}`)).toEqual([]);
    // Only then the mutant's fault is what the case sees.
    const withoutFault = numbered.filter((one) => one.mutant === "" && seen.has(one));
    expect(withoutFault.map(({ each }) => each.name).toSorted()).toEqual(knownFailures(plugin, own));
  },
  900_000,
);

/** Cases for all plugins run with the interface plugin. */
function isTriedWith(plugin: string, each: ConformanceCase): boolean {
  const { role = "interface" } = setups[plugin] ?? {};
  return concerns(each, { role, withoutIpam: false }) && (role === "interface" || each.concerns === "chained");
}

/** The tries whose case failed, each in the last version that has its rule. */
async function seenBy(plugin: string, tries: readonly Try[]): Promise<Set<Try>> {
  const setup = setups[plugin];
  if (setup === undefined) throw new Error(`no configuration for ${plugin}`);
  const directory = scratch();
  const seen = new Set<Try>();
  for (const { type, mutant } of tries)
    await writeFile(path.join(directory, type), scriptOf(plugin, mutant), { mode: 0o755 });
  await using lab = await Lab.start({ wrappers: directory });
  const numbers = { last: 0 };
  for (const one of tries) {
    const target = { ...setup, type: one.type, file: `${Lab.pluginPath}/${one.type}` };
    const [ended] = await runCases(lab, target, [lastVersion(one.each)], [one.each], numbers);
    if (ended === undefined || ended.problem !== "") seen.add(one);
  }
  return seen;
}

function lastVersion(each: ConformanceCase) {
  return specVersions.findLast((version) => isIn(each, version)) ?? "1.1.0";
}

/** The cases that the real plugin fails in their last version. */
function knownFailures(plugin: string, cases: readonly ConformanceCase[]): string[] {
  const { plain } = readCommitted();
  return cases
    .filter((each) => plain[each.name]?.[plugin]?.includes(lastVersion(each)))
    .map(({ name }) => name)
    .toSorted();
}
