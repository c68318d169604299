import { type SpawnOptionsWithoutStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";

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
export async function hold(
  command: string,
  args: readonly string[],
  options: SpawnOptionsWithoutStdio = {},
): Promise<Holder> {
  const child = spawn(command, args, { ...options, stdio: "pipe" });
  const [closed, words] = [once(child, "close"), text(child.stderr)];
  const ended = closed.then(async ([exitCode]) => {
    if (exitCode !== 0) throw new Error(`${command}: ${(await words).trim() || `exit code ${exitCode}`}`);
  });
  await Promise.race([once(child.stdout, "data"), ended]);
  return {
    pid: child.pid ?? 0,
    stdin: child.stdin,
    stdout: child.stdout,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}
