import { availableParallelism } from "node:os";
import { progressOf } from "../progress.ts";
import type { Terminal } from "../terminal.ts";

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

/**
 * Runs a function for every item, at most `limit` at a time. The results are in the order of the items. `report` gets the number
 * of finished items after each.
 */
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
