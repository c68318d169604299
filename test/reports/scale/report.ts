import { table } from "../../../build/docs/table.ts";
import { spreadOf } from "../bench/statistics.ts";

/** What became of one list's allocations. */
export interface Course {
  readonly title: string;
  readonly count: number;
  /** For each restart, the seconds from the client's start until it was done with the last allocation. */
  readonly seconds: readonly number[];
  /** For each restart, how many allocations had kept their process, namespace, addresses and traffic since their start. */
  readonly survivors: readonly number[];
  /** What the stopped allocations left on the host. */
  readonly left: readonly string[];
}

/** Whether there were restarts, no allocation was lost, and nothing was left. */
export function isWhole({ count, survivors, left }: Course): boolean {
  return survivors.length > 0 && survivors.every((number) => number === count) && left.length === 0;
}

/** The table of all lists. The first list is the measure of the others. */
export function scaleTable(courses: readonly Course[]): string {
  const [first] = courses;
  const base = first ? spreadOf(first.seconds).median : Number.NaN;
  const rows = courses.map(({ title, count, seconds, survivors, left }) => {
    const { median } = spreadOf(seconds);
    return [
      title,
      `${survivors.length}`,
      `${Math.min(...survivors)} of ${count}`,
      `${left.length}`,
      `${median.toFixed(1)} s`,
      (median / base).toFixed(2),
    ];
  });
  return table(["list", "restarts", "survived each", "left behind", "a restore, median", "ratio"], rows);
}
