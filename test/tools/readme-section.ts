import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const readme = path.resolve(import.meta.dirname, "../../README.md");

/** Puts the output of a command into the README, between the marks with its name. */
export function writeReadmeSection(name: string, content: string): void {
  writeFileSync(readme, withSection(readFileSync(readme, "utf8"), name, content));
}

/** A text with something else between its marks `<!-- name: ... -->` and `<!-- /name -->`, each on a line of its own. */
export function withSection(text: string, name: string, content: string): string {
  const lines = text.split("\n");
  const start = onlyIndex(lines, (line) => line.startsWith(`<!-- ${name}: `) && line.endsWith(" -->"), `${name}: ...`);
  const end = onlyIndex(lines, (line) => line === `<!-- /${name} -->`, `/${name}`);
  if (end < start) throw new Error(`the mark /${name} stands before ${name}: ...`);
  return [...lines.slice(0, start + 1), content.trim(), ...lines.slice(end)].join("\n");
}

function onlyIndex(lines: readonly string[], isWanted: (line: string) => boolean, mark: string): number {
  const found = lines.flatMap((line, index) => (isWanted(line) ? [index] : []));
  const [only] = found;
  if (only === undefined || found.length > 1) throw new Error(`${found.length} marks <!-- ${mark} --> in place of one`);
  return only;
}
