import { Argument } from "commander";
import type { CommandData } from "../command.ts";
import { bashCompletion, fishCompletion, zshCompletion } from "../reference.ts";

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** `completion`: a script that completes the commands and options in a shell. */
export const completionCommand: CommandData<keyof typeof scripts> = {
  name: "completion",
  summary: "print a completion script for a shell",
  description: "Prints a script that completes the commands, options and values in a shell.",
  argument: new Argument("<shell>", "the shell").choices(Object.keys(scripts)),
  example: "completion bash > /etc/bash_completion.d/cni-wrappers",
  run: ({ given, terminal, program }) => {
    terminal.write(scripts[given](program));
    return 0;
  },
};
