import { type Argument, Command, InvalidArgumentError, Option } from "commander";
import { stateDirectory } from "./host/memory.ts";
import { usualCniPath, usualLists } from "./live/host-paths.ts";
import { type ExitCode, type Terminal, Trouble } from "./terminal.ts";

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

/** Returns the command with a name. Throws Trouble if there is none. */
export function demandCommand(name: string, { commands }: Command): Command {
  const found = commands.find((one) => one.name() === name);
  if (found) return found;
  const names = commands.map((one) => one.name()).join(", ");
  throw new Trouble(`there is no command ${name}; the commands are ${names}`);
}

/** Makes an option. */
export function option(flags: string, description: string, value?: unknown): Option {
  return new Option(flags, description).default(value);
}

// Options that several commands have.

/** `what` is printed as JSON. */
export function jsonOption(what: string): Option {
  return option("--json", `print ${what}`);
}

/** A list that takes the place of the current one of its name. */
export const withOption = option("--with <file>", "check with this list instead of the current one of its name");

export const yesOption = option("-y, --yes", "do not ask on a terminal");

/** The directory of libcni's results, of the leases and of the journals. */
export function stateOption(description: string): Option {
  return option("--state <directory>", description, stateDirectory);
}

export const cacheDirOption = option("--cache-dir <dir>", "libcni's cache, which has the results", stateDirectory);

/** `usual` says which ones count without the option. */
export function configDirOption(usual: string): Option {
  return option("--config-dir <dir...>", `directories of the lists (default: ${usual}${usualLists.join(" and ")})`);
}

/** How long a plugin may take, in seconds. */
export const timeoutOption = option("--timeout <seconds>", "how long a plugin may take", "60").argParser(seconds);

/** Ports that a runtime would publish. An option that takes several values would take the list for one of them. */
export const portOption = option(
  "--port <mapping>",
  "publish this port, such as 8080:80 or 8080:80/udp; can be repeated",
).argParser((value: string, earlier: readonly string[] = []) => [...earlier, value]);

export const cniPathOption = option(
  "--cni-path <dirs>",
  `directories of the plugins, separated by colons (default: those of the Nomad agent, or ${usualCniPath})`,
);

/** The options that name the directories of a host, and what a command is about. */
export const hostOptions: readonly Option[] = [
  configDirOption("that of the Nomad agent, or "),
  cniPathOption,
  cacheDirOption,
  option("--network <name>", "only this network"),
  option("--container <id>", "only this container; the first characters are enough"),
];

// A timer takes a value that is no number, or beyond its range, for a millisecond: every plugin would fail.
function seconds(text: string): string {
  const number = Number(text);
  if (number >= 0.1 && number <= 86_400) return text;
  throw new InvalidArgumentError("Write seconds, from 0.1 to 86400.");
}
