import { table } from "../../../build/docs/table.ts";
import { firstLine } from "../../support/first-line.ts";
import { Notes } from "../../support/notes.ts";
import { type Cause, causes } from "./causes.ts";
import type { StepName, StepResult } from "./follow.ts";
import { nameOf, type Place } from "./places.ts";

/** The result of one cell. */
export interface Cell extends Place {
  readonly steps: readonly StepResult[];
  /** The same steps with unwrapped plugins, each alone in a chain. Only if the wrapped chain did not pass. */
  readonly plain: readonly { readonly title: string; readonly steps: readonly StepResult[] }[];
}

/** The steps that fail, for each cell that has any. */
export type Expected = Readonly<Record<string, readonly StepName[]>>;

interface Failure {
  readonly step: StepName;
  readonly error: string;
  /** The cause that also stops the plain chains. Without it, the wrappers are to blame. */
  readonly cause?: Cause;
}

/** The failed steps of a cell. A step has a cause if every plain chain failed there with the same error. */
export function failuresOf({ steps, plain }: Cell): Failure[] {
  return steps.flatMap(({ name: step, error }) => {
    if (error === undefined) return [];
    const cause = causes.find((each) => each.steps.includes(step) && each.error.test(error));
    const isShared = plain.length > 0 && plain.every((chain) => hasFailed(chain.steps, step, cause?.error));
    return [{ step, error, ...(cause && isShared && { cause }) }];
  });
}

function hasFailed(steps: readonly StepResult[], step: StepName, pattern: RegExp | undefined): boolean {
  return steps.some(({ name, error }) => name === step && error !== undefined && pattern?.test(error));
}

/** The steps that are worse than expected, one sentence each. */
export function regressions(cells: readonly Cell[], expected: Expected): string[] {
  return cells.flatMap((cell) =>
    failuresOf(cell).flatMap(({ step, error, cause }) => {
      const name = `${nameOf(cell)}: ${step}`;
      if (!cause) return [`${name} fails, but differently from the plain plugins: ${error}`];
      return expected[nameOf(cell)]?.includes(step) ? [] : [`${name} is expected to pass: ${error}`];
    }),
  );
}

/** The steps that pass although they are expected to fail. */
export function improvements(cells: readonly Cell[], expected: Expected): string[] {
  return cells.flatMap((cell) => {
    const failing = failuresOf(cell).map(({ step }) => step);
    const better = (expected[nameOf(cell)] ?? []).filter((step) => !failing.includes(step));
    return better.map((step) => `${nameOf(cell)}: ${step} is expected to fail, and passes`);
  });
}

/** The matrix as Markdown: a row for each version of plugins and specification, a column for each runtime. */
export function matrixTable(cells: readonly Cell[]): string {
  const notes = new Notes();
  const runtimes = [...new Set(cells.map(({ runtime }) => runtime))];
  const rows = Map.groupBy(cells, ({ plugins, specification }) => `${plugins} ${specification}`);
  const lines = [...rows].map(([versions, row]) => [
    ...versions.split(" "),
    ...runtimes.map((runtime) =>
      wordFor(
        row.find((cell) => cell.runtime === runtime),
        notes,
      ),
    ),
  ]);
  return `${table(["plugins", "specification", ...runtimes], lines)}\n\n${notes.list()}`.trim();
}

function wordFor(cell: Cell | undefined, notes: Notes): string {
  if (!cell) return "";
  const words = failuresOf(cell).map((failure) => notes.mark(verdictOf(failure), noteOn(failure, cell)));
  return words.join(", ") || "passes";
}

function verdictOf({ step, cause }: Failure): string {
  return cause?.words ?? `${step} fails`;
}

function noteOn({ error, cause }: Failure, { plain }: Cell): string {
  const alone = plain.map(({ title }) => title).join(" and ");
  if (cause) return `${cause.text} Without wrappers, ${alone} ${plain.length > 1 ? "fail" : "fails"} in the same way.`;
  return `**Different from the plain plugins** (${alone}): ${firstLine(error)}`;
}
