import process from "node:process";
import type { Readable, Writable } from "node:stream";

/** Asks a person whether to go on. stdout is for the result. */
export async function confirmed(
  dialog: { readonly input: Readable; readonly output: Writable } = { input: process.stdin, output: process.stderr },
): Promise<boolean> {
  const { confirm } = await import("@clack/prompts");
  return (await confirm({ ...dialog, message: "Remove what can be pruned?", initialValue: false })) === true;
}
