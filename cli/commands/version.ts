import { Command } from "commander";
import type { CommandMaker } from "../command.ts";
import type { Build } from "../terminal.ts";

/** `version`: the origin of this executable, and the versions of what it contains. */
export const versionCommand: CommandMaker = (terminal) =>
  new Command("version")
    .summary("print the version, the flavor and what is inside")
    .description(
      "Prints the version, the commit, the flavor, the platform, and the versions of the software in this executable.",
    )
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  cni-wrappers version --json")
    .action(({ json }: { json?: true }) => {
      const { version, commit, flavor, target, parts } = terminal.release;
      const build: Build = { version, commit, flavor, target, parts };
      terminal.write(json ? `${JSON.stringify(build, null, 2)}\n` : textOf(build));
    });

function textOf({ version, commit, flavor, target, parts }: Build): string {
  const names = Object.entries(parts).map(([name, its]) => `${name} ${its}`);
  const rows = { version, commit, flavor, target, parts: names.join(", ") };
  return Object.entries(rows)
    .map(([key, value]) => `${key.padEnd(8)} ${value}\n`)
    .join("");
}
