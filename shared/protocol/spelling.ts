/** Returns the known word that takes the fewest edits to reach, for "did you mean". Letter case does not count. */
export function nearest(word: string, known: readonly string[]): string {
  const distances = known.map((candidate) => editDistance(word.toLowerCase(), candidate.toLowerCase()));
  return known[distances.indexOf(Math.min(...distances))] ?? "";
}

/** Returns the known word that a misspelled one probably means; undefined if none is near enough. */
export function near(word: string, known: readonly string[]): string | undefined {
  const alike = known.filter(({ length }) => Math.abs(length - word.length) <= mostEdits);
  const candidate = nearest(word, alike);
  const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
  return distance <= Math.min(mostEdits, Math.floor(candidate.length / 3)) ? candidate : undefined;
}

const mostEdits = 3;

/** Returns how many letters must be added, removed or changed to make one word from another (Levenshtein). */
export function editDistance(a: string, b: string): number {
  // One row of the table at a time.
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = at(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, at(row, j) + 1, at(next, j - 1) + 1));
    }
    row = next;
  }
  return at(row, b.length);
}

function at(row: readonly number[], i: number): number {
  return row[i] ?? Number.POSITIVE_INFINITY;
}
