import { exitCodes } from "../exit-codes.ts";
import type { CommandReference } from "./command-reference.ts";

/** Makes the manual page of the program in roff, with a list of its commands. */
export function programPage(program: CommandReference, commands: readonly CommandReference[], version: string): string {
  const list = commands.flatMap(({ name, summary }) => [".TP", `.B ${roff(name)}`, roff(summary)]);
  const others = commands.map(({ name }) => `.BR cni\\-wrappers\\-${roff(name)} (1)`).join(",\n");
  return [
    ...opening(program, "cni-wrappers", version),
    ".SH COMMANDS",
    ...list,
    ...closing,
    ".SH SEE ALSO",
    others,
    "",
  ].join("\n");
}

/** Makes the manual page of one command in roff. */
export function commandPage(command: CommandReference, version: string): string {
  const given = command.arguments.flatMap(({ term, description }) => [".TP", `.I ${roff(term)}`, roff(description)]);
  const example = [".SH EXAMPLE", ".nf", roff(command.example), ".fi"];
  return [
    ...opening(command, `cni-wrappers-${command.name}`, version),
    ...(given.length > 0 ? [".SH ARGUMENTS", ...given] : []),
    ...closing,
    ...(command.example === "" ? [] : example),
    ".SH SEE ALSO",
    ".BR cni\\-wrappers (1)",
    "",
  ].join("\n");
}

function opening({ summary, description, usage, options }: CommandReference, name: string, version: string) {
  const flags = options.flatMap((option) => [".TP", `.B ${roff(option.flags)}`, roff(option.description)]);
  return [
    `.TH ${roff(name.toUpperCase())} 1 "" "cni\\-wrappers ${roff(version)}" "User Commands"`,
    ...[".SH NAME", `${roff(name)} \\- ${roff(summary)}`],
    ...[".SH SYNOPSIS", `.B ${roff(usage)}`],
    ...[".SH DESCRIPTION", roff(description)],
    ...[".SH OPTIONS", ...flags],
  ];
}

const closing = [
  ".SH EXIT STATUS",
  ...Object.entries(exitCodes).flatMap(([code, meaning]) => [".TP", `.B ${code}`, meaning]),
];

/** Escapes a text. A line that begins with a dot or a quote would be a request. */
function roff(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^[.']/gm, "\\&$&").replace(/^ +/gm, "");
}
