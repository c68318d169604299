import { Argument } from "commander";
import type { CommandData } from "../command.ts";
import { manPage } from "../reference.ts";
import { Trouble } from "../terminal.ts";

/** `man`: the manual pages. */
export const manCommand: CommandData<string | undefined> = {
  name: "man",
  summary: "print a manual page",
  description: "Prints the manual page of the program or of a command, in roff.",
  argument: new Argument("[command]", "the command"),
  example: "man lint | man -l -",
  run: ({ given: name, terminal: { release, write }, program }) => {
    const names = program.commands.map((one) => one.name());
    const command = name === undefined ? program : program.commands[names.indexOf(name)];
    if (!command) throw new Trouble(`there is no command ${name}; the commands are ${names.join(", ")}`);
    write(manPage(command, release.version));
    return 0;
  },
};
