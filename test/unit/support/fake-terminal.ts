import { runCli } from "../../../cli/program.ts";
import type { Terminal } from "../../../cli/terminal.ts";

/** A command's whole effect on its terminal. */
export interface CommandOutcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The outcome of a command that says what is wrong, and does nothing. */
export function trouble(message: string): CommandOutcome {
  return { exitCode: 2, stdout: "", stderr: `cni-wrappers: ${message}\n` };
}

/** Runs a command of cni-wrappers in this process. `terminal` replaces parts of a plain terminal without colors. */
export async function runCommand(args: readonly string[], terminal: Partial<Terminal> = {}): Promise<CommandOutcome> {
  let stdout = "";
  let stderr = "";
  const exitCode = await runCli(args, {
    release: { version: "1.2.3", commit: "abc", flavor: "node", target: "linux-amd64", parts: { node: "24.0.0" } },
    env: {},
    directory: "/",
    hasColors: false,
    width: 80,
    write: (text) => {
      stdout += text;
    },
    writeError: (text) => {
      stderr += text;
    },
    readInput: () => "",
    wait: async () => {},
    viewProblem: () => undefined,
    ...terminal,
  });
  return { exitCode, stdout, stderr };
}
