import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { isatty } from "node:tty";
import type { Terminal } from "./terminal.ts";

/** Whether a person is there who can answer, and no option has answered already. */
export function canAsk(
  { isInteractive }: Pick<Terminal, "isInteractive">,
  { yes }: { readonly yes?: boolean },
): boolean {
  return yes !== true && isInteractive && isatty(0);
}

/** Asks a person whether to go on. stdout is for the result. */
export async function confirmed(
  message: string,
  dialog: { readonly input: Readable; readonly output: Writable } = { input: process.stdin, output: process.stderr },
): Promise<boolean> {
  const { confirm } = await import("@clack/prompts");
  return (await confirm({ ...dialog, message, initialValue: false })) === true;
}
