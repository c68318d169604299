import { readFileSync } from "node:fs";
import path from "node:path";
import { inSecondKernel } from "../../kernel/second-kernel.ts";
import { Lab } from "../../support/lab.ts";
import { hostHas } from "../../support/needs.ts";
import { type Fault, upstream } from "./faults.ts";

/**
 * The recipe in a fault's report: the first block of commands, and the block after it, with the last lines of the output.
 * Three dots stand for what differs between runs.
 */
export function recipeOf({ name }: Pick<Fault, "name">) {
  const report = readFileSync(path.join(upstream, name, "README.md"), "utf8");
  const [, commands = "", shown] =
    /^```sh\n(.*?)\n```\n(?:\n[^\n`#]*\n)*(?:\n```text\n(.*?)\n```)?/ms.exec(report) ?? [];
  return { commands: commands.split("\n"), shown };
}

/** Runs a fault's recipe on a host with these plugins, in a folder as a checkout has it after its build. */
export async function runRecipe(fault: Fault, plugins: string): Promise<string> {
  const script = (folder: string) => [checkout(folder), "exec 2>&1", ...recipeOf(fault).commands].join("\n");
  if (fault.needs !== undefined && !hostHas[fault.needs]) {
    // Each boot is a host of its own.
    return inSecondKernel(["bash", "-c", script(plugins)], ({ stdout }) => stdout);
  }
  await using lab = await Lab.start({ plugins: { directory: plugins } });
  return (await lab.call("bash", ["-c", script("/opt/cni/bin")])).stdout;
}

/** The shell commands for what a report presupposes: a checkout with the plugins, and a container. */
function checkout(plugins: string): string {
  return `mkdir -p /run/netns /run/checkout; cd /run/checkout; ln -s ${plugins} bin; ip netns add c1 || exit`;
}

/** Says what is wrong with the commands in reports: what they show with the release, and with the patched plugins. */
export async function recipeProblems(faults: readonly Fault[], released: string, patched: string): Promise<string[]> {
  const problems = faults.map(async (fault) => {
    const { shown = "" } = recipeOf(fault);
    const [before, after] = [await runRecipe(fault, released), await runRecipe(fault, patched)];
    return [
      ...(isShown(before, shown) ? [] : [`the commands of the report show something else: ${before}`]),
      ...(isShown(after, shown) ? ["the commands of the report show the same with the patch"] : []),
    ];
  });
  return (await Promise.all(problems)).flat();
}

/** Says whether the end of an output is what a report shows. */
export function isShown(output: string, shown: string): boolean {
  const parts = shown.split("...").map((part) => RegExp.escape(part));
  return new RegExp(`(?:^|\\n)${parts.join(".*")}$`).test(output.trimEnd());
}
