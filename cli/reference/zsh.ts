import type { CommandReference, OptionReference } from "./command-reference.ts";

/** Makes the completion script for zsh, a file \`_cni-wrappers\` in a directory of \`fpath\`. */
export function zshCompletion(commands: readonly CommandReference[]): string {
  return `#compdef cni-wrappers
_cni_wrappers() {
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`).join("\n")}
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
  const specs = [...options.map(optionSpec), rest].map((spec) => `      ${quoted(spec)}`);
  return `    ${name}) _arguments \\\n${specs.join(" \\\n")} ;;`;
}

function optionSpec({ long, description, takesValue, choices }: OptionReference): string {
  const words = description.replace(/[[\]:]/g, "\\$&");
  const action = choices.length > 0 ? `(${choices.join(" ")})` : "_files";
  return `${long}[${words}]${takesValue ? `:value:${action}` : ""}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
