import type { CommandReference, OptionReference } from "./command-reference.ts";

/** Makes the completion script for bash. Where it has no words, bash completes the names of files. */
export function bashCompletion(commands: readonly CommandReference[], options: readonly string[]): string {
  return `# bash completion for cni-wrappers
_cni_wrappers() {
  local command=\${COMP_WORDS[1]} current=$2 previous=$3 words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${[...commands.map(({ name }) => name), ...options].join(" ")}"
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

function valueCases({ name, options }: CommandReference): readonly string[] {
  return options
    .filter(({ takesValue }) => takesValue)
    .map(({ short, long, choices }) => {
      const patterns = [short, long].filter((flag) => flag !== undefined).map((flag) => `"${name} ${flag}"`);
      const reply = choices.length === 0 ? "" : `$(compgen -W "${choices.join(" ")}" -- "$current")`;
      return `      ${patterns.join(" | ")}) COMPREPLY=(${reply}); return ;;`;
    });
}

function wordCase({ name, options, choices }: CommandReference): string {
  const flags = options.map(({ long }) => long).join(" ");
  return `      ${name}) case "$current" in -*) words="${flags}" ;; *) words="${choices.join(" ")}" ;; esac ;;`;
}

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

/** Makes the completion script for zsh, a file \`_cni-wrappers\` in a directory of \`fpath\`. */
export function zshCompletion(commands: readonly CommandReference[]): string {
  return `#compdef cni-wrappers
_cni_wrappers() {
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    ${zshQuoted(`${name}:${summary}`)}`).join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
${commands.map(commandCase).join("\n")}
  esac
}
compdef _cni_wrappers cni-wrappers
`;
}

function commandCase({ name, options, choices }: CommandReference): string {
  const rest = choices.length > 0 ? `1:value:(${choices.join(" ")})` : "*:file:_files";
  const specs = [...options.map(optionSpec), rest].map((spec) => `      ${zshQuoted(spec)}`);
  return `    ${name}) _arguments \\\n${specs.join(" \\\n")} ;;`;
}

function optionSpec({ long, description, takesValue, choices }: OptionReference): string {
  const words = description.replace(/[[\]:]/g, "\\$&");
  const action = choices.length > 0 ? `(${choices.join(" ")})` : "_files";
  return `${long}[${words}]${takesValue ? `:value:${action}` : ""}`;
}

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
