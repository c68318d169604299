import { Argument } from "commander";
import type { CommandData } from "../command.ts";
import { commandsOf, referenceOf } from "../reference/command-reference.ts";
import { commandPage, programPage } from "../reference/man-page.ts";
import { Trouble } from "../trouble.ts";

/** `man`: the manual pages. */
export const manCommand: CommandData<string | undefined> = {
  name: "man",
  summary: "print a manual page",
  description: "Prints the manual page of the program or of a command, in roff.",
  argument: new Argument("[command]", "the command"),
  example: "man lint | man -l -",
  run: ({ given: name, terminal: { release, write }, program }) => {
    const commands = commandsOf(program);
    const command = commands.find((candidate) => candidate.name === name);
    if (name !== undefined && !command)
      throw new Trouble(`there is no command ${name}; the commands are ${commands.map((one) => one.name).join(", ")}`);
    write(
      command ? commandPage(command, release.version) : programPage(referenceOf(program), commands, release.version),
    );
    return 0;
  },
};
