import type { CommandReference, OptionReference } from "./command-reference.ts";

/** Makes the completion script for fish. */
export function fishCompletion(commands: readonly CommandReference[]): string {
  const lines = commands.flatMap(({ name, summary, options, choices }) => {
    const inCommand = `complete -c cni-wrappers -n ${quoted(`__fish_seen_subcommand_from ${name}`)}`;
    return [
      `complete -c cni-wrappers -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
      ...(choices.length > 0 ? [`${inCommand} -f -a ${quoted(choices.join(" "))}`] : []),
      ...options.map((option) => `${inCommand} ${optionWords(option)}`),
    ];
  });
  return `# fish completion for cni-wrappers\n${lines.join("\n")}\n`;
}

function optionWords({ short, long, description, takesValue, choices }: OptionReference): string {
  const flags = [short && `-s ${short.slice(1)}`, `-l ${long.slice(2)}`].filter(Boolean).join(" ");
  const value = choices.length > 0 ? ` -x -a ${quoted(choices.join(" "))}` : takesValue ? " -r" : "";
  return `${flags}${value} -d ${quoted(description)}`;
}

function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, "\\$&")}'`;
}
