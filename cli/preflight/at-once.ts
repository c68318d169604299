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
