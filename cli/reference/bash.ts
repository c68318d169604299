import type { CommandReference } from "./command-reference.ts";

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
