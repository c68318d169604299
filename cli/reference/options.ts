import type { Command } from "commander";

/** An option of a command, as its help describes it. */
export type OptionReference = ReturnType<typeof optionsOf>[number];

/** Returns the options in the help of a command. */
export function optionsOf(command: Command) {
  const help = command.createHelp();
  return help.visibleOptions(command).map((option) => ({
    /** Such as `-h, --help` or `--format <format>`. */
    flags: option.flags,
    short: option.short,
    long: option.long ?? "",
    description: help.optionDescription(option),
    takesValue: option.required || option.optional,
    choices: option.argChoices ?? [],
  }));
}

/** Returns the values of a command's argument, if it has few. */
export function choicesOf({ registeredArguments }: Command): readonly string[] {
  return registeredArguments[0]?.argChoices ?? [];
}
