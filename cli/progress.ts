import { SingleBar } from "cli-progress";
import type { Terminal } from "./terminal.ts";

/** A command that is done before this shows nothing. In milliseconds. */
const patience = 1000;

/** Tells people how far a command is. */
interface Progress {
  /** Says how many of all are done. */
  report(done: number): void;
  /** Removes what is shown. */
  end(): void;
}

/** Shows a bar on stderr if a person sees it and the work takes longer than about a second. */
export function progressOf(
  total: number,
  { progress: stream }: Pick<Terminal, "progress">,
  unit = "files",
  now: () => number = () => performance.now(),
): Progress {
  if (!stream) return { report: () => {}, end: () => {} };
  const bar = new SingleBar({
    stream,
    format: `{bar} {value} of {total} ${unit}`,
    clearOnComplete: true,
    hideCursor: true,
  });
  const start = now();
  return {
    report: (done) => {
      if (bar.isActive) bar.update(done);
      else if (now() - start > patience && done < total) bar.start(total, done);
    },
    end: () => bar.stop(),
  };
}
