import { type CommandData, jsonOption } from "../command.ts";
import { type Build, jsonText } from "../terminal.ts";

/** `version`: the origin of this executable, and the versions of what it contains. */
export const versionCommand: CommandData<undefined, { json?: true }> = {
  name: "version",
  summary: "print the version, the flavor and what is inside",
  description:
    "Prints the version, the commit, the flavor, the platform, and the versions of the software in this executable.",
  options: [jsonOption("JSON")],
  example: "version --json",
  run: ({ options: { json }, terminal }) => {
    const { version, commit, flavor, target, parts } = terminal.release;
    const build: Build = { version, commit, flavor, target, parts };
    terminal.write(json ? jsonText(build) : textOf(build));
    return 0;
  },
};

function textOf({ version, commit, flavor, target, parts }: Build): string {
  const names = Object.entries(parts).map(([name, its]) => `${name} ${its}`);
  const rows = { version, commit, flavor, target, parts: names.join(", ") };
  return Object.entries(rows)
    .map(([key, value]) => `${key.padEnd(8)} ${value}\n`)
    .join("");
}
