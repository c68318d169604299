import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";

/** How long host-local may keep a directory locked, in seconds. */
const patience = 10;

/**
 * Calls a function while this process has host-local's lock of a lease directory (flock(2)). Returns false if another process keeps
 * the lock, or if flock(1) is missing. The lock ends with this process, whatever ends it.
 */
export async function withLock(lock: string, act: () => Promise<void> | void): Promise<boolean> {
  // cat ends when this process does, because its input is then closed.
  const args = ["--wait", String(patience), "--", lock, "sh", "-c", "echo; exec cat"];
  const holder = spawn("flock", args, { cwd: dirname(lock), stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise<void>((resolve) => {
    holder.on("error", () => resolve());
    holder.on("close", () => resolve());
  });
  const isHeld = await Promise.race([once(holder.stdout, "data").then(() => true), ended.then(() => false)]);
  try {
    if (isHeld) await act();
  } finally {
    holder.stdin.on("error", () => {});
    holder.stdin.end();
    await ended;
  }
  return isHeld;
}
