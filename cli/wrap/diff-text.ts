import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from "diff";
import { type Style, styled, type Terminal } from "../terminal.ts";

/** Returns the unified diff of a file's old and new text, as `patch` reads it; colored if the terminal shows colors. */
export function diffText(path: string, before: string, after: string, terminal: Pick<Terminal, "hasColors">): string {
  const patch = structuredPatch(path, path, before, after, undefined, undefined, { context: 3 });
  const lines = formatPatch(patch, FILE_HEADERS_ONLY).trimEnd().split("\n");
  return lines.map((line) => `${colored(line, terminal)}\n`).join("");
}

const styles: readonly (readonly [RegExp, Style])[] = [
  [/^(?:---|\+\+\+) /, "bold"],
  [/^@@/, "cyan"],
  [/^-/, "red"],
  [/^\+/, "green"],
];

function colored(line: string, terminal: Pick<Terminal, "hasColors">): string {
  const style = styles.find(([pattern]) => pattern.test(line))?.[1];
  return style === undefined ? line : styled(terminal, style, line);
}
