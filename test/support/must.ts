import { firstLine } from "./first-line.ts";
import type { Outcome } from "./lab.ts";

/** Throws unless a call succeeded. Returns its output. */
export function must({ exitCode, stdout, stderr }: Outcome, what?: string): string {
  if (exitCode !== 0) throw new Error(what ? `${what} failed: ${stderr || stdout}` : firstLine(stderr || stdout));
  return stdout;
}
