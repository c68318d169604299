import type { Command } from "commander";
import type { Terminal } from "./terminal.ts";

/** Ends a command: 0 means that all is well, 1 that there are findings, 2 that the command could not do its work. */
export type ExitCode = 0 | 1 | 2;

/** Makes a command. `finish` tells its exit code. */
export type CommandMaker = (terminal: Terminal, finish: (exitCode: ExitCode) => void) => Command;
