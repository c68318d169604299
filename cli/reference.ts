import type { Command } from "commander";
import { ProgramCommand } from "./command.ts";
import { exitCodes } from "./terminal.ts";

/** Makes the completion script for bash. Where it has no words, bash completes the names of files. */
export function bashCompletion(program: Command): string {
  const { commands } = program;
  const words = [...commands.map((command) => command.name()), ...optionsOf(program).map(({ long }) => long)];
  return `# bash completion for cni-wrappers
_cni_wrappers() {
  local command=\${COMP_WORDS[1]} current=$2 previous=$3 words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${words.join(" ")}"
  else
    case "$command $previous" in
${commands.flatMap(valueCases).join("\n")}
    esac
    case "$command" in
${commands.map(wordCase).join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _cni_wrappers cni-wrappers
`;
}

function valueCases(command: Command): readonly string[] {
  return optionsOf(command)
    .filter(({ takesValue }) => takesValue)
    .map(({ short, long, choices }) => {
      const patterns = [short, long].filter((flag) => flag !== undefined).map((flag) => `"${command.name()} ${flag}"`);
      const reply = choices.length === 0 ? "" : `$(compgen -W "${choices.join(" ")}" -- "$current")`;
      return `      ${patterns.join(" | ")}) COMPREPLY=(${reply}); return ;;`;
    });
}

function wordCase(command: Command): string {
  const flags = optionsOf(command).map(({ long }) => long);
  const cases = `-*) words="${flags.join(" ")}" ;; *) words="${choicesOf(command).join(" ")}" ;;`;
  return `      ${command.name()}) case "$current" in ${cases} esac ;;`;
}

/** Makes the completion script for fish. */
export function fishCompletion({ commands }: Command): string {
  const lines = commands.flatMap((command) => {
    const [name, choices] = [command.name(), choicesOf(command)];
    const inCommand = `complete -c cni-wrappers -n ${quoted(`__fish_seen_subcommand_from ${name}`)}`;
    return [
      `complete -c cni-wrappers -n __fish_use_subcommand -f -a ${name} -d ${quoted(command.summary())}`,
      ...(choices.length > 0 ? [`${inCommand} -f -a ${quoted(choices.join(" "))}`] : []),
      ...optionsOf(command).map((option) => `${inCommand} ${optionWords(option)}`),
    ];
  });
  return `# fish completion for cni-wrappers\n${lines.join("\n")}\n`;
}

function optionWords({ short, long, description, takesValue, choices }: ReturnType<typeof optionsOf>[number]): string {
  const flags = [short && `-s ${short.slice(1)}`, `-l ${long.slice(2)}`].filter(Boolean).join(" ");
  const value = choices.length > 0 ? ` -x -a ${quoted(choices.join(" "))}` : takesValue ? " -r" : "";
  return `${flags}${value} -d ${quoted(description)}`;
}

function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, "\\$&")}'`;
}

/** Makes the completion script for zsh, a file `_cni-wrappers` in a directory of `fpath`. zsh reads that of bash. */
export function zshCompletion(program: Command): string {
  return `#compdef cni-wrappers\nautoload -Uz bashcompinit && bashcompinit\n${bashCompletion(program)}`;
}

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
function choicesOf({ registeredArguments }: Command): readonly string[] {
  return registeredArguments[0]?.argChoices ?? [];
}

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
  const summaries = commands.map((one) => [one.name(), one.summary()] as const);
  return [
    `.TH ${roff(name.toUpperCase())} 1 "" "cni\\-wrappers ${roff(version)}" "User Commands"`,
    ...[".SH NAME", `${roff(name)} \\- ${roff(help.subcommandDescription(command))}`],
    ...[".SH SYNOPSIS", `.B ${roff(help.commandUsage(command))}`],
    ...[".SH DESCRIPTION", roff(help.commandDescription(command))],
    ...[".SH OPTIONS", ...list(options, "B")],
    ...(commands.length > 0 ? [".SH COMMANDS", ...list(summaries, "B")] : []),
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
