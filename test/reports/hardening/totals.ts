import { table } from "../../../build/docs/table.ts";

/** The end of a suite. */
export interface Total {
  /** Its own words: how much it tried, and how much of it failed. */
  readonly text: string;
  readonly isPassed: boolean;
}

/** The suites by their npm scripts, and what each of them does. */
export const suites: Readonly<Record<string, string>> = {
  "test:conformance": "the rules of the specification, as cases for each plugin, plain and wrapped",
  "test:faults": "a wrapper is killed, or gets an error, at its system calls",
  "test:load": "many attachments at once, with kills of wrappers and plugins",
  "test:simulate": "the core in a model of a host that kills, reboots and interleaves",
  "test:fuzz": "generated values, led by code coverage, on the properties of the unit tests",
};

/** The columns of the table. */
export const columns = ["command", "what it does", "total", "outcome"] as const;

/** The lines of a suite's output that begin with `total: `, as one text. */
export function totalOf(output: string): string {
  const lines = [...output.matchAll(/^total: (.*)$/gm)].map(([, text = ""]) => text);
  return lines.length > 0 ? lines.join("; ") : "it printed no total";
}

/** A row for each suite with a total, in the order of `suites`. */
export function tableOf(totals: Readonly<Record<string, Total>>): string {
  const rows = Object.entries(suites).flatMap(([name, what]) => {
    const total = totals[name];
    return total ? [[`\`npm run ${name}\``, what, total.text, total.isPassed ? "passed" : "**failed**"]] : [];
  });
  return table(columns, rows);
}

/** The totals of a table that `tableOf` made. */
export function readRows(text: string): Record<string, Total> {
  const rows = [...text.matchAll(/^\| `npm run (\S+)`\s*\| .*? \| (.*?)\s*\| (\S+)\s*\|$/gm)];
  return Object.fromEntries(
    rows.map(([, name = "", total = "", outcome]) => [name, { text: total, isPassed: outcome === "passed" }]),
  );
}
