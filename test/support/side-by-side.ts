/** A piece of work that may start when everything it `needs` is done. It takes `lanes` of those that the host has. */
export interface Work<T> {
  readonly name: string;
  readonly needs: readonly string[];
  readonly lanes: number;
  /** Gets the results of what it `needs`, by their names. */
  run(done: ReadonlyMap<string, T>): Promise<T>;
}

/**
 * Does all of it, side by side in this many lanes. What stands first starts first; a later piece goes ahead only while an
 * earlier one waits for what it needs. Free lanes are kept for a piece that takes more of them, or it would wait for ever. A
 * piece that takes more lanes than there are runs alone. Throws the first error after the running pieces end.
 */
export async function sideBySide<T>(work: readonly Work<T>[], lanes: number): Promise<ReadonlyMap<string, T>> {
  const waiting = [...work];
  const running = new Map<string, Promise<string>>();
  const done = new Map<string, T>();
  let free = lanes;
  while (done.size < work.length) {
    for (const piece of [...waiting]) {
      if (!piece.needs.every((name) => done.has(name))) continue;
      if (piece.lanes > free && running.size > 0) break;
      waiting.splice(waiting.indexOf(piece), 1);
      free -= piece.lanes;
      running.set(
        piece.name,
        piece.run(done).then((result) => {
          done.set(piece.name, result);
          free += piece.lanes;
          return piece.name;
        }),
      );
    }
    if (running.size === 0) throw new Error(`never ready: ${waiting.map(({ name }) => name).join(", ")}`);
    try {
      running.delete(await Promise.race(running.values()));
    } catch (error) {
      await Promise.allSettled(running.values());
      throw error;
    }
  }
  return done;
}
