import { styleText } from "node:util";
import type { Release } from "../shared/host/host.ts";

/** Where the commands come from: also the platform, and the versions of the software inside. */
export interface Build extends Release {
  readonly target: string;
  readonly parts: Readonly<Record<string, string>>;
}

/** Where a command writes, and what it knows of its surroundings. Tests pass their own. */
export interface Terminal {
  readonly release: Build;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The stand-alone executable that runs; undefined in the npm package. */
  readonly executable?: string | undefined;
  /** The directory that relative paths start from. */
  readonly directory: string;
  /** Whether a person reads stdout, and whether it shows colors. */
  readonly isInteractive: boolean;
  readonly hasColors: boolean;
  /** Characters in a line. */
  readonly width: number;
  write(text: string): void;
  writeError(text: string): void;
  /** stderr, if a person sees it: a place for what changes while a command works. */
  readonly progress?: NodeJS.WriteStream | undefined;
  /** Reads stdin to its end. */
  readInput(): string;
  /** Says why this process cannot tell which containers live; undefined if it can. */
  viewProblem(): string | undefined;
}

/** Colors and weights that `styled` knows. */
export type Style = Parameters<typeof styleText>[0];

/** Returns the text in a style if the terminal shows colors. */
export function styled(terminal: Pick<Terminal, "hasColors">, style: Style, text: string): string {
  return terminal.hasColors ? styleText(style, text, { validateStream: false }) : text;
}

/**
 * Returns the text with the escapes of JSON for control characters. Lists, caches and plugins could otherwise move the cursor
 * or hide lines. The sequences of `styled` stay if the terminal shows colors.
 */
export function printable(terminal: Pick<Terminal, "hasColors">, text: string): string {
  return text.replace(unprintable, (found, style?: string) => {
    const isStyle = style !== undefined && found.startsWith("\u001b") && terminal.hasColors;
    if (isStyle || found === "\r\n" || found.startsWith("\n") || found.startsWith("\t")) return found;
    return `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}${found.slice(1)}`;
  });
}

/** Returns a text as a part of one line: a line break in it gets its escape too. */
export function oneLine(text: string): string {
  return text.replaceAll("\r", "\\r").replaceAll("\n", "\\n");
}

// Also the characters that change the direction of a text.
const unprintable = /\r\n|\p{Cc}(\[(?:[12]|22|3[1-69])m)?|[\u202a-\u202e\u2066-\u2069]/gu;
