import { once } from "node:events";
import { execa } from "execa";

/** A process that holds something until it ends. */
export interface Holder extends AsyncDisposable {
  readonly pid: number;
}

/**
 * Starts a process that holds something (a lock, namespaces), and waits until it prints that it does. It ends when its
 * stdin is closed: by disposal, or by the kernel when this process ends.
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
