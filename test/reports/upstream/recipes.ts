import { readFileSync } from "node:fs";
import path from "node:path";
import { Lab, type LabOptions, type Outcome } from "../../support/lab.ts";
import { hostHas } from "../../support/needs.ts";
import { type Fault, upstream } from "./faults.ts";

/** What a report tells its reader to run, and what he sees. */
export interface Recipe {
  readonly commands: readonly string[];
  /** The last lines of the output. Three dots stand for what differs between runs. */
  readonly shown: string | undefined;
}

/** The recipe in a fault's report: the first block of commands, and the block after it. */
export function recipeOf({ name }: Pick<Fault, "name">): Recipe {
  const report = readFileSync(path.join(upstream, name, "README.md"), "utf8");
  const [, commands = "", shown] =
    /^```sh\n(.*?)\n```\n(?:\n[^\n`#]*\n)*(?:\n```text\n(.*?)\n```)?/ms.exec(report) ?? [];
  return { commands: commands.split("\n"), shown };
}

/** Runs a recipe in a private host with these plugins, in a folder as a checkout has it after its build. */
export async function runRecipe({ commands }: Recipe, plugins: LabOptions["plugins"]): Promise<Outcome> {
  await using lab = await Lab.start({ plugins });
  await lab.addContainer("c1");
  await lab.run("sh", ["-ec", "mkdir /run/checkout; ln -s /opt/cni/bin /run/checkout/bin"]);
  return await lab.call("bash", ["-c", ["cd /run/checkout; exec 2>&1", ...commands].join("\n")]);
}

/** Says what is wrong with the commands in reports: what they show with the release, and with the patched plugins. */
export async function recipeProblems(faults: readonly Fault[], patched: string): Promise<string[]> {
  const here = faults.filter(({ needs }) => needs === undefined || hostHas[needs]);
  const problems = here.map(async (fault) => {
    const recipe = recipeOf(fault);
    const { shown = "" } = recipe;
    const before = await runRecipe(recipe, "1.9.1");
    const after = await runRecipe(recipe, { directory: patched });
    return [
      ...(isShown(before.stdout, shown) ? [] : [`the commands of the report show something else: ${before.stdout}`]),
      ...(isShown(after.stdout, shown) ? ["the commands of the report show the same with the patch"] : []),
    ];
  });
  return (await Promise.all(problems)).flat();
}

/** Says whether the end of an output is what a report shows. */
export function isShown(output: string, shown: string): boolean {
  const parts = shown.split("...").map((part) => RegExp.escape(part));
  return new RegExp(`(?:^|\\n)${parts.join(".*")}$`).test(output.trimEnd());
}
