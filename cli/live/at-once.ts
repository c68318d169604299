import { availableParallelism } from "node:os";
import { SingleBar } from "cli-progress";
import type { Terminal } from "../terminal.ts";

/** A command that is done before this shows nothing. In milliseconds. */
const patience = 1000;

/** Shows a person a bar on stderr if the work takes longer than a second. `report` gets how many are done, `end` removes the bar. */
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

/** Runs a function for every attachment, as many at a time as the machine has processors, with a bar on a terminal. */
export async function withBar<Attachment, Result>(
  attachments: readonly Attachment[],
  terminal: Pick<Terminal, "progress">,
  run: (attachment: Attachment) => Promise<Result>,
): Promise<readonly Result[]> {
  const progress = progressOf(attachments.length, terminal, "attachments");
  try {
    return await atOnce(attachments, availableParallelism(), run, progress.report);
  } finally {
    progress.end();
  }
}

/** Runs a function for every item, at most `limit` at a time. The results are in the items' order. `report` gets how many are done. */
export async function atOnce<Item, Result>(
  items: readonly Item[],
  limit: number,
  run: (item: Item) => Promise<Result>,
  report: (done: number) => void = () => {},
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const entries = items.entries();
  let done = 0;
  const work = async () => {
    for (const [index, item] of entries) {
      results[index] = await run(item);
      report(++done);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
}
