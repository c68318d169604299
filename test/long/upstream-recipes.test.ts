import { describe, expect, test } from "vitest";
import { kernelProblem } from "../kernel/second-kernel.ts";
import { readFaults, reference } from "../reports/upstream/faults.ts";
import { isShown, recipeOf, runRecipe } from "../reports/upstream/recipes.ts";
import { referencePlugins } from "../support/go.ts";
import { hostHas } from "../support/needs.ts";

const faults = readFaults().filter(({ module }) => module === reference);

describe("the commands of a report show what it says", () => {
  test.for(faults)("$name", { timeout: 300_000 }, async (fault, { skip }) => {
    const problem = fault.needs === undefined || hostHas[fault.needs] ? undefined : kernelProblem();
    if (problem !== undefined) skip(`${fault.needs}: ${problem}`);
    const { commands, shown = "none" } = recipeOf(fault);
    expect(commands.length).toBeGreaterThan(1);
    const stdout = await runRecipe(fault, await referencePlugins());
    expect(isShown(stdout, shown), stdout).toBe(true);
  });
});
