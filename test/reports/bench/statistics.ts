/** The middle of some figures, and how far all but the lowest and highest tenth are spread. */
export interface Spread {
  readonly median: number;
  readonly p10: number;
  readonly p90: number;
}

/** Sums up figures, of which there is at least one. */
export function spreadOf(figures: readonly number[]): Spread {
  const sorted = figures.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), p10: quantile(sorted, 0.1), p90: quantile(sorted, 0.9) };
}

// Between two neighbours the value is taken in proportion.
function quantile(sorted: readonly number[], share: number): number {
  const position = share * (sorted.length - 1);
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position % 1);
}
