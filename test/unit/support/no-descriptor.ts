import childProcess from "node:child_process";
import { EventEmitter } from "node:events";
import { syncBuiltinESMExports } from "node:module";
import process from "node:process";
import { onTestFinished } from "vitest";

/** Until the test ends, no file descriptor is left for the pipes of a process: Node makes no streams then. */
export function leaveNoDescriptor(): void {
  const { spawn } = childProcess;
  const replace = (by: typeof spawn) => {
    childProcess.spawn = by;
    syncBuiltinESMExports();
  };
  onTestFinished(() => replace(spawn));
  replace(((program: string) => {
    const child = new EventEmitter();
    process.nextTick(() => child.emit("error", new Error(`spawn ${program} EMFILE`)));
    return child;
  }) as unknown as typeof spawn);
}
