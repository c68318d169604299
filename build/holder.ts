import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { execa, type Options } from "execa";

/** A process that holds something until it ends. */
export interface Holder extends AsyncDisposable {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
}

/**
 * Starts a process that holds something (a lock, namespaces), and waits until it prints that it does. It ends when its
 * stdin is closed: by disposal, or by the kernel when this process ends.
 */
export async function hold(command: string, args: readonly string[], options: Options = {}): Promise<Holder> {
  const child = execa(command, args, { ...options, stdin: "pipe", stdout: "pipe" });
  await Promise.race([once(child.stdout, "data"), child]);
  return {
    pid: child.pid ?? 0,
    stdin: child.stdin,
    stdout: child.stdout,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await child;
    },
  };
}
