import type { Command } from "commander";
import type { ExitCode } from "./exit-codes.ts";
import type { Terminal } from "./terminal.ts";

/** Makes a command. `finish` tells its exit code. */
export type CommandMaker = (terminal: Terminal, finish: (exitCode: ExitCode) => void) => Command;
