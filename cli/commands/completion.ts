import { Argument, type Command } from "commander";
import type { CommandData } from "../command.ts";
import { commandsOf, referenceOf } from "../reference/command-reference.ts";
import { bashCompletion, fishCompletion, zshCompletion } from "../reference/shells.ts";

type Shell = "bash" | "zsh" | "fish";

/** `completion`: a script that completes the commands and options in a shell. */
export const completionCommand: CommandData<Shell> = {
  name: "completion",
  summary: "print a completion script for a shell",
  description: "Prints a script that completes the commands, options and values in a shell.",
  argument: new Argument("<shell>", "the shell").choices(["bash", "zsh", "fish"]),
  example: "completion bash > /etc/bash_completion.d/cni-wrappers",
  run: ({ given, terminal, program }) => {
    terminal.write(completionFor(given, program));
    return 0;
  },
};

function completionFor(shell: Shell, program: Command): string {
  const commands = commandsOf(program);
  if (shell === "zsh") return zshCompletion(commands);
  if (shell === "fish") return fishCompletion(commands);
  return bashCompletion(
    commands,
    referenceOf(program).options.map(({ long }) => long),
  );
}
