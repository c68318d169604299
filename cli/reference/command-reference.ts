import type { Argument, Command, Option } from "commander";
import { ProgramCommand } from "../command.ts";

/** A command as its help describes it. */
export interface CommandReference {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** Such as `cni-wrappers lint [options] <path...>`. */
  readonly usage: string;
  readonly arguments: readonly { readonly term: string; readonly description: string }[];
  /** The first argument's values, if it has few. */
  readonly choices: readonly string[];
  readonly options: readonly OptionReference[];
  /** A command line; empty for the program. */
  readonly example: string;
}

/** An option of a command. */
export interface OptionReference {
  /** Such as `-h, --help` or `--format <format>`. */
  readonly flags: string;
  readonly short: string | undefined;
  readonly long: string;
  readonly description: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

/** Returns the commands of a program. commander's own `help` is left out. */
export function commandsOf(program: Command): readonly CommandReference[] {
  return program.commands.map(referenceOf);
}

/** Returns the description of a command, from the same source as its help. */
export function referenceOf(command: Command): CommandReference {
  const help = command.createHelp();
  const given: readonly Argument[] = command.registeredArguments;
  return {
    name: command.name(),
    summary: help.subcommandDescription(command),
    description: help.commandDescription(command),
    usage: help.commandUsage(command),
    arguments: given.map((argument) => ({
      term: help.argumentTerm(argument),
      description: help.argumentDescription(argument),
    })),
    choices: given[0]?.argChoices ?? [],
    options: help.visibleOptions(command).map((option) => ({
      flags: option.flags,
      short: option.short,
      long: option.long ?? "",
      description: help.optionDescription(option),
      takesValue: takesValue(option),
      choices: option.argChoices ?? [],
    })),
    example: command instanceof ProgramCommand ? command.example : "",
  };
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}
