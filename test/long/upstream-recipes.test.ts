import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { inSecondKernel, kernelProblem } from "../kernel/second-kernel.ts";
import { referencePlugins } from "../support/go.ts";
import { Lab } from "../support/lab.ts";
import { isPossible } from "../support/needs.ts";
import { type Fault, readFaults, upstream } from "../support/upstream.ts";

const faults = readFaults().filter(({ module }) => module === "github.com/containernetworking/plugins");

describe("the commands of a report show what it says", () => {
  test.for(faults)("$name", { timeout: 300_000 }, async (fault, { skip }) => {
    const problem = isPossible(fault) ? undefined : kernelProblem();
    if (problem !== undefined) skip(`${fault.needs}: ${problem}`);
    const { commands, shown = "none" } = recipeOf(fault);
    expect(commands.length).toBeGreaterThan(1);
    // Three dots stand for what differs between runs.
    const parts = shown.split("...").map((part) => RegExp.escape(part));
    expect((await outputOf(fault, commands)).trimEnd()).toMatch(new RegExp(`(?:^|\\n)${parts.join(".*")}$`));
  });
});

/** The recipe in a fault's report: the first block of commands, and the block after it, with the last lines of the output. */
function recipeOf({ name }: Fault) {
  const report = readFileSync(path.join(upstream, name, "README.md"), "utf8");
  const [, commands = "", shown] =
    /^```sh\n(.*?)\n```\n(?:\n[^\n`#]*\n)*(?:\n```text\n(.*?)\n```)?/ms.exec(report) ?? [];
  return { commands: commands.split("\n"), shown };
}

/** Runs commands on a host with a container, in a folder as a checkout of the plugins has it after its build. */
async function outputOf(fault: Fault, commands: readonly string[]): Promise<string> {
  const plugins = await referencePlugins();
  const checkout = (bin: string) =>
    `mkdir -p /run/netns /run/checkout; cd /run/checkout; ln -s ${bin} bin; ip netns add c1 || exit`;
  const script = (bin: string) => [checkout(bin), "exec 2>&1", ...commands].join("\n");
  // Each boot is a host of its own.
  if (!isPossible(fault)) return inSecondKernel(["bash", "-c", script(plugins)], ({ stdout }) => stdout);
  await using lab = await Lab.start();
  return (await lab.call("bash", ["-c", script(Lab.pluginPath)])).stdout;
}
