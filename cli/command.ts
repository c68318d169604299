import { type Argument, Command, Option } from "commander";
import type { ExitCode, Terminal } from "./terminal.ts";

/** A command as data: what its help says, and what it does. */
export interface CommandData<Given = unknown, Options = object> {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly argument?: Argument;
  readonly options?: readonly Option[];
  /** What follows `cni-wrappers` in an example. */
  readonly example: string;
  /** Does the work. Throws Trouble if it cannot. */
  run(call: Call<Given, Options>): ExitCode | Promise<ExitCode>;
}

/** A command line that was parsed. */
export interface Call<Given = unknown, Options = object> {
  /** The value of the argument. */
  readonly given: Given;
  readonly options: Options;
  readonly terminal: Terminal;
  /** The program with all commands. */
  readonly program: Command;
}

/** A command of the program, with its example. */
export class ProgramCommand extends Command {
  readonly example: string;

  constructor({ name, summary, description, argument, options = [], example }: CommandData) {
    super(name);
    this.example = `cni-wrappers ${example}`;
    this.summary(summary).description(description).addHelpText("after", `\nExample:\n  ${this.example}`);
    if (argument) this.addArgument(argument);
    for (const one of options) this.addOption(one);
  }
}

/** Makes an option. */
export function option(flags: string, description: string, value?: unknown): Option {
  return new Option(flags, description).default(value);
}
