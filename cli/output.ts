import { reasonOf } from "./trouble.ts";

interface Output {
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Calls `fail` with a message if output is lost. A reader that closes the pipe, such as head, has what it wants. */
export function watchOutput(stream: Output, name: string, fail: (message: string) => void): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") fail(`${name}: ${reasonOf(error)}`);
  });
}
