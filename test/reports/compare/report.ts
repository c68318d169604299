import { table } from "../../../build/docs/table.ts";
import { Notes } from "../../support/notes.ts";

/** The answers to one question, by contestant. */
export interface RowReport {
  readonly title: string;
  readonly cells: Readonly<Record<string, { readonly words: string; readonly notes?: readonly string[] }>>;
}

/** The comparison as Markdown: a row for each question, a column for each contestant, and the notes. */
export function comparisonTable(contestants: readonly string[], rows: readonly RowReport[]): string {
  const notes = new Notes();
  const lines = rows.map(({ title, cells }) => [
    title,
    ...contestants.map((contestant) => {
      const { words, notes: texts = [] } = cells[contestant] ?? { words: "" };
      return notes.mark(words, ...texts);
    }),
  ]);
  return `${table(["", ...contestants], lines)}\n\n${notes.list()}`.trim();
}
