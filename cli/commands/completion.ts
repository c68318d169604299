import { Argument, Command } from "commander";
import type { CommandMaker } from "../command.ts";
import { commandsOf, referenceOf } from "../reference/command-reference.ts";
import { bashCompletion, fishCompletion, zshCompletion } from "../reference/shells.ts";

type Shell = "bash" | "zsh" | "fish";

/** `completion`: a script that completes the commands and options in a shell. */
export const completionCommand: CommandMaker = (terminal) =>
  new Command("completion")
    .summary("print a completion script for a shell")
    .description("Prints a script that completes the commands, options and values in a shell.")
    .addArgument(new Argument("<shell>", "the shell").choices(["bash", "zsh", "fish"]))
    .addHelpText("after", "\nExample:\n  cni-wrappers completion bash > /etc/bash_completion.d/cni-wrappers")
    .action((shell: Shell, _options: object, { parent }: Command) => {
      if (parent) terminal.write(completionFor(shell, parent));
    });

function completionFor(shell: Shell, program: Command): string {
  const commands = commandsOf(program);
  if (shell === "zsh") return zshCompletion(commands);
  if (shell === "fish") return fishCompletion(commands);
  return bashCompletion(
    commands,
    referenceOf(program).options.map(({ long }) => long),
  );
}
