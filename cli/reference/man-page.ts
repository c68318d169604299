import type { Command } from "commander";
import { ProgramCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { optionsOf } from "./options.ts";

/** Makes the manual page of the program, with a list of its commands, or of one command, in roff. */
export function manPage(command: Command, version: string): string {
  const { commands, parent } = command;
  const name = [...(parent ? [parent.name()] : []), command.name()].join("-");
  const help = command.createHelp();
  const list = (of: readonly (readonly [term: string, words: string])[], macro: string) =>
    of.flatMap(([term, words]) => [".TP", `.${macro} ${roff(term)}`, roff(words)]);
  const given = command.registeredArguments.map((one) => [help.argumentTerm(one), one.description] as const);
  const options = optionsOf(command).map(({ flags, description }) => [flags, description] as const);
  const others = parent ? [parent.name()] : commands.map((one) => `${name}-${one.name()}`);
  return [
    `.TH ${roff(name.toUpperCase())} 1 "" "cni\\-wrappers ${roff(version)}" "User Commands"`,
    ...[".SH NAME", `${roff(name)} \\- ${roff(help.subcommandDescription(command))}`],
    ...[".SH SYNOPSIS", `.B ${roff(help.commandUsage(command))}`],
    ...[".SH DESCRIPTION", roff(help.commandDescription(command))],
    ...[".SH OPTIONS", ...list(options, "B")],
    ...(commands.length > 0
      ? [
          ".SH COMMANDS",
          ...list(
            commands.map((one) => [one.name(), one.summary()]),
            "B",
          ),
        ]
      : []),
    ...(given.length > 0 ? [".SH ARGUMENTS", ...list(given, "I")] : []),
    ...[".SH EXIT STATUS", ...list(Object.entries(exitCodes), "B")],
    ...(command instanceof ProgramCommand ? [".SH EXAMPLE", ".nf", roff(command.example), ".fi"] : []),
    ...[".SH SEE ALSO", others.map((one) => `.BR ${roff(one)} (1)`).join(",\n"), ""],
  ].join("\n");
}

/** Escapes a text. A line that begins with a dot or a quote would be a request. */
function roff(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^[.']/gm, "\\&$&").replace(/^ +/gm, "");
}
