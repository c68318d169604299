import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");

/** The page of each table, by the name in its marks. A command writes the table, or a test checks it. */
const pages = {
  matrix: "docs/versions.md",
  compare: "docs/alternatives.md",
  bench: "docs/benchmarks.md",
  plugins: "docs/plugins.md",
  "other-plugins": "docs/plugins.md",
  runtimes: "docs/runtimes.md",
  errors: "docs/errors.md",
  lint: "docs/lint.md",
  release: "docs/operations.md",
  conformance: "docs/conformance.md",
  hardening: "docs/security.md",
  mutation: "docs/security.md",
  guards: "docs/guards.md",
  "conformance-cases": "test/reports/conformance/CASES.md",
  upstream: "docs/upstream.md",
} as const;

/** The name in a table's marks. */
export type SectionName = keyof typeof pages;

/**
 * Puts the output of a command into its page, between the marks with this name. Returns the page's path in the
 * repository.
 */
export function writeSection(name: SectionName, content: string): string {
  const file = path.join(root, pages[name]);
  writeFileSync(file, withSection(readFileSync(file, "utf8"), name, content));
  return pages[name];
}

/** The lines between a page's marks with this name. */
export function readSection(name: SectionName): string {
  const lines = readFileSync(path.join(root, pages[name]), "utf8").split("\n");
  const { start, end } = marks(lines, name);
  return lines.slice(start + 1, end).join("\n");
}

/** Replaces the lines between the marks `<!-- name: ... -->` and `<!-- /name -->`. Each mark is a line. */
export function withSection(text: string, name: string, content: string): string {
  const lines = text.split("\n");
  const { start, end } = marks(lines, name);
  return [...lines.slice(0, start + 1), content.trim(), ...lines.slice(end)].join("\n");
}

function marks(lines: readonly string[], name: string): { start: number; end: number } {
  const start = onlyIndex(lines, (line) => line.startsWith(`<!-- ${name}: `) && line.endsWith(" -->"), `${name}: ...`);
  const end = onlyIndex(lines, (line) => line === `<!-- /${name} -->`, `/${name}`);
  if (end < start) throw new Error(`the mark /${name} comes before ${name}: ...`);
  return { start, end };
}

function onlyIndex(lines: readonly string[], isWanted: (line: string) => boolean, mark: string): number {
  const found = lines.flatMap((line, index) => (isWanted(line) ? [index] : []));
  const [only] = found;
  if (only === undefined || found.length > 1) throw new Error(`${found.length} marks <!-- ${mark} --> instead of one`);
  return only;
}
