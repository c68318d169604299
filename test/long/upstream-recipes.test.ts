import { describe, expect, test } from "vitest";
import { readFaults } from "../reports/upstream/faults.ts";
import { isShown, recipeOf, runRecipe } from "../reports/upstream/recipes.ts";
import { hostHas } from "../support/needs.ts";

const faults = readFaults().filter(({ module }) => module.endsWith("/plugins"));

describe("the commands of a report show what it says", () => {
  test.for(faults)("$name", async (fault, { skip }) => {
    if (fault.needs !== undefined && !hostHas[fault.needs]) skip(`this kernel has no ${fault.needs}`);
    const recipe = recipeOf(fault);
    expect(recipe.commands.length).toBeGreaterThan(1);
    const { stdout } = await runRecipe(recipe, "1.9.1");
    expect(isShown(stdout, recipe.shown ?? "none"), stdout).toBe(true);
  });
});
