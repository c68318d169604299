import { diffArrays } from "diff";
import { styled, type Terminal } from "../terminal.ts";
import { jsonLines } from "./json-lines.ts";

/** A line of a text that is compared with another: removed, added, or in both. */
export interface Line {
  readonly sign: "-" | "+" | " ";
  readonly text: string;
}

/** Compares two JSON values line by line. A comma at the end of a line does not count. */
export function jsonDifferences(before: unknown, after: unknown, width: number): Line[] {
  return lineDifferences(jsonLines(before, width), jsonLines(after, width));
}

/** Compares two texts line by line. */
export function lineDifferences(before: string[], after: string[]): Line[] {
  const isSame = (one: string, other: string): boolean => one.replace(/,$/, "") === other.replace(/,$/, "");
  return diffArrays(before, after, { comparator: isSame }).flatMap(({ added, removed, value }) => {
    const sign = added ? "+" : removed ? "-" : " ";
    return value.map((text): Line => ({ sign, text }));
  });
}

/** Returns the lines without the middle of a long part that is in both. */
export function abridged(lines: readonly Line[]): Line[] {
  const isNear = (index: number): boolean =>
    lines.slice(Math.max(index - 2, 0), index + 3).some(({ sign }) => sign !== " ");
  const kept = lines.map((line, index) => (isNear(index) ? line : undefined));
  return kept.flatMap((line, index) => {
    if (line !== undefined) return [line];
    return index === 0 || kept[index - 1] !== undefined ? [{ sign: " ", text: "⋮" } as const] : [];
  });
}

const styles = { "-": "red", "+": "green", " ": "dim" } as const;

/** Writes compared lines with their signs, in colors if the terminal has them. */
export function paint(lines: readonly Line[], terminal: Pick<Terminal, "hasColors">): string[] {
  return lines.map(({ sign, text }) => styled(terminal, styles[sign], `${sign} ${text}`));
}
