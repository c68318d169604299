import { Command } from "commander";
import type { CommandMaker } from "../command.ts";
import { commandsOf, referenceOf } from "../reference/command-reference.ts";
import { commandPage, programPage } from "../reference/man-page.ts";
import { Trouble } from "../trouble.ts";

/** `man`: the manual pages. */
export const manCommand: CommandMaker = ({ release, write }) =>
  new Command("man")
    .summary("print a manual page")
    .description("Prints the manual page of the program or of a command, in roff.")
    .argument("[command]", "the command")
    .addHelpText("after", "\nExample:\n  cni-wrappers man lint | man -l -")
    .action((name: string | undefined, _options: object, { parent }: Command) => {
      if (!parent) return;
      const commands = commandsOf(parent);
      if (name === undefined) return void write(programPage(referenceOf(parent), commands, release.version));
      const command = commands.find((candidate) => candidate.name === name);
      if (!command)
        throw new Trouble(
          `there is no command ${name}; the commands are ${commands.map((one) => one.name).join(", ")}`,
        );
      write(commandPage(command, release.version));
    });
