import { Argument } from "commander";
import { type CommandData, demandCommand } from "../command.ts";
import { manPage } from "../reference.ts";

/** `man`: the manual pages. */
export const manCommand: CommandData<string | undefined> = {
  name: "man",
  summary: "print a manual page",
  description: "Prints the manual page of the program or of a command, in roff.",
  argument: new Argument("[command]", "the command"),
  example: "man lint | man -l -",
  run: ({ given: name, terminal: { release, write }, program }) => {
    write(manPage(name === undefined ? program : demandCommand(name, program), release.version));
    return 0;
  },
};
