import { once } from "node:events";
import { execa } from "execa";

/** A process that holds something as long as it lives. */
export interface Holder extends AsyncDisposable {
  readonly pid: number;
}

/**
 * Starts a process that says when it holds what it is for (a lock, namespaces) and stays until its input is closed:
 * by disposal, or by the kernel, however this process ends.
 */
export async function hold(command: string, args: readonly string[]): Promise<Holder> {
  const child = execa(command, args, { stdin: "pipe" });
  await Promise.race([once(child.stdout, "data"), child]);
  return {
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await child;
    },
  };
}
