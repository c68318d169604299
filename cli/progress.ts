import { SingleBar } from "cli-progress";
import type { Terminal } from "./terminal.ts";

/** A command that is done before this shows nothing. In milliseconds. */
const patience = 1000;

/**
 * Shows a bar on stderr if a person sees it and the work takes longer than about a second. `report` says how many of all are
 * done, and `end` removes the bar.
 */
export function progressOf(
  total: number,
  { progress: stream }: Pick<Terminal, "progress">,
  unit = "files",
  now: () => number = () => performance.now(),
) {
  if (!stream) return { report: () => {}, end: () => {} };
  const bar = new SingleBar({
    stream,
    format: `{bar} {value} of {total} ${unit}`,
    clearOnComplete: true,
    hideCursor: true,
  });
  const start = now();
  return {
    report: (done: number) => {
      if (bar.isActive) bar.update(done);
      else if (now() - start > patience && done < total) bar.start(total, done);
    },
    end: () => bar.stop(),
  };
}
