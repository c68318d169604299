import childProcess from "node:child_process";
import { EventEmitter } from "node:events";
import { onTestFinished } from "vitest";
import { replaceFunctions } from "./file-functions.ts";

/** Until the test ends, no file descriptor is left for the pipes of a process: Node makes no streams then. */
export function leaveNoDescriptor(): void {
  const spawn = (program: string) => {
    const child = new EventEmitter();
    process.nextTick(() => child.emit("error", new Error(`spawn ${program} EMFILE`)));
    return child;
  };
  onTestFinished(replaceFunctions(childProcess, { spawn: spawn as unknown as typeof childProcess.spawn }));
}
