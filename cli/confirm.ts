import process from "node:process";
import type { Readable, Writable } from "node:stream";
import type { Terminal } from "./terminal.ts";

/** Whether to go on: a person on the terminal sees what would change, and says yes. With --yes or without a terminal, nobody is asked. */
export async function isApproved(
  message: string,
  shown: () => string,
  { confirm, writeError }: Pick<Terminal, "confirm" | "writeError">,
  { yes }: { readonly yes?: boolean },
): Promise<boolean> {
  if (yes || confirm === undefined) return true;
  writeError(shown());
  return confirm(message);
}

/** Asks a person whether to go on. stdout is for the result. */
export async function confirmed(
  message: string,
  dialog: { readonly input: Readable; readonly output: Writable } = { input: process.stdin, output: process.stderr },
): Promise<boolean> {
  const { confirm, updateSettings } = await import("@clack/prompts");
  // Ctrl-D closes the library's input, and it would wait for an answer until the process ends, with exit code 0.
  updateSettings({ aliases: { "\u0004": "cancel" } });
  return (await confirm({ ...dialog, message, initialValue: false })) === true;
}
