import type { Lab } from "./lab.ts";

/**
 * Runs a command in a lab and kills it (SIGKILL) before its nth call of a system call. Returns whether it made that many
 * calls. Several threads count separately. With --seccomp-bpf, strace would inject nothing.
 */
export async function isKilledAt(lab: Lab, call: string, nth: number, command: readonly string[]): Promise<boolean> {
  // The question mark is for architectures that lack the call.
  const inject = ["-e", `trace=?${call}`, "-e", `inject=?${call}:signal=KILL:when=${nth}`];
  const { exitCode, stderr } = await lab.call("strace", ["-f", "-qq", "-o", "/dev/null", ...inject, ...command]);
  if (exitCode !== undefined && exitCode <= 2) return false;
  if (exitCode === undefined || exitCode > 128) return true;
  throw new Error(`strace: ${stderr}`);
}
