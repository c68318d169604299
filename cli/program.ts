import { Command, CommanderError, type Option } from "commander";
import { type CommandData, demandCommand, ProgramCommand, portOption } from "./command.ts";
import { adoptCommand } from "./commands/adopt.ts";
import { completionCommand } from "./commands/completion.ts";
import { explainCommand } from "./commands/explain.ts";
import { installCommand } from "./commands/install.ts";
import { lintCommand } from "./commands/lint.ts";
import { manCommand } from "./commands/man.ts";
import { newCommand } from "./commands/new.ts";
import { preflightCommand } from "./commands/preflight.ts";
import { pruneCommand } from "./commands/prune.ts";
import { schemaCommand } from "./commands/schema.ts";
import { statusCommand } from "./commands/status.ts";
import { tryCommand } from "./commands/try.ts";
import { uninstallCommand } from "./commands/uninstall.ts";
import { unwrapCommand } from "./commands/unwrap.ts";
import { versionCommand } from "./commands/version.ts";
import { wrapCommand } from "./commands/wrap.ts";
import { type ExitCode, exitCodeHelp, printable, type Terminal, Trouble } from "./terminal.ts";

const commands: readonly CommandData[] = [
  lintCommand,
  explainCommand,
  tryCommand,
  newCommand,
  wrapCommand,
  unwrapCommand,
  preflightCommand,
  adoptCommand,
  pruneCommand,
  statusCommand,
  installCommand,
  uninstallCommand,
  schemaCommand,
  completionCommand,
  manCommand,
  versionCommand,
];

/** Runs the command that the arguments name. Returns the exit code. */
export async function runCli(args: readonly string[], screen: Terminal): Promise<ExitCode> {
  const terminal: Terminal = {
    ...screen,
    write: (text) => screen.write(printable(text)),
    writeError: (text) => screen.writeError(printable(text)),
  };
  let exitCode: ExitCode = 0;
  const program = programOf(terminal, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args[0] === "help" ? helpOf(args[1], program) : args, { from: "user" });
    return exitCode;
  } catch (thrown) {
    // commander has printed its own message, or the help that was asked for.
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2;
    terminal.writeError(`cni-wrappers: ${messageOf(thrown)}\n`);
    return 2;
  }
}

// commander ends `help` with the exit code of the process, which says so far that it ended too early.
function helpOf(name: string | undefined, program: Command): readonly string[] {
  const isOfAll = name === undefined || name === "help" || name.startsWith("-");
  return isOfAll ? ["--help"] : [demandCommand(name, program).name(), "--help"];
}

/** Returns the program with all commands. Help, completions and manual pages are made from it. */
export function programOf(terminal: Terminal, finish: (exitCode: ExitCode) => void = () => {}): Command {
  const program = new Command("cni-wrappers")
    .description("Tools for network configuration lists with several interfaces.")
    .version(`${terminal.release.version} (${terminal.release.commit})`, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help");
  for (const data of commands) {
    const command = new ProgramCommand(data);
    program.addCommand(command);
    for (const option of command.options) refuseTwice(command, option);
    command.action(async () => {
      const [given] = command.processedArgs;
      refuseEmptyOptions(command);
      finish(await data.run({ given, options: command.opts(), terminal, program }));
    });
  }
  for (const command of [program, ...program.commands]) prepare(command, terminal);
  return program;
}

function prepare(command: Command, terminal: Terminal): void {
  command
    .exitOverride()
    .addHelpText("after", exitCodeHelp)
    .showSuggestionAfterError()
    .configureHelp({ helpWidth: Math.min(terminal.width, 100) })
    .configureOutput({
      writeOut: (text) => terminal.write(text),
      writeErr: (text) => terminal.writeError(text),
      outputError: (text, write) => write(text.replace(/^error: /, "cni-wrappers: ")),
    });
}

// The first value would silently not count.
function refuseTwice(command: Command, option: Option): void {
  // guard: a directory or a network that is named is looked at
  if (!option.required || option.variadic || option === portOption) return;
  let isThere = false;
  command.on(`option:${option.name()}`, () => {
    if (isThere) throw new Trouble(`option '${option.flags}' is there twice: only one value counts`);
    isThere = true;
  });
}

// The variable of a script can be empty. No name would select all, and no directory would be the working directory.
function refuseEmptyOptions(command: Command): void {
  for (const option of command.options)
    if ([command.getOptionValue(option.attributeName())].flat().includes(""))
      throw new Trouble(`option '${option.flags}' is empty: give it a value, or leave it out`);
}

function messageOf(thrown: unknown): string {
  if (thrown instanceof Trouble) return thrown.message;
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
