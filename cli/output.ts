import type { EventEmitter } from "node:events";
import { reasonOf } from "./trouble.ts";

/** Calls `fail` with a message if output is lost. A reader that closes the pipe, such as head, has what it wants. */
export function watchOutput(stream: EventEmitter, name: string, fail: (message: string) => void): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") fail(`${name}: ${reasonOf(error)}`);
  });
}
