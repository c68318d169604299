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
  /** Asks a person whether to go on; undefined if nobody is there to answer. */
  readonly confirm?: ((message: string) => Promise<boolean>) | undefined;
  /** Whether the terminal shows colors. */
  readonly hasColors: boolean;
  /** Characters in a line. */
  readonly width: number;
  write(text: string): void;
  writeError(text: string): void;
  /** stderr, if a person sees it: a place for what changes while a command works. */
  readonly progress?: NodeJS.WriteStream | undefined;
  /** Reads stdin to its end. Throws Trouble if it has more bytes than the limit. */
  readInput(limit: number): string;
  /** Waits, in milliseconds, for what happens on the host meanwhile. */
  wait(milliseconds: number): Promise<unknown>;
  /** Says why this process cannot tell which containers of a cache live; undefined if it can. */
  viewProblem(cacheDirectory: string): string | undefined;
}

/** What decides whether text is painted. */
export type Colors = Pick<Terminal, "hasColors">;

/** The sequences that begin and end each style. */
const styles = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** Colors and weights that `styled` knows. */
export type Style = keyof typeof styles;

// Nobody else knows it: no list, cache or plugin can have a sequence with it. cli-table3 takes it for a part of a style.
const token = Array.from(crypto.getRandomValues(new Uint16Array(3)), (number) => 1000 + (number % 9000)).join(";");

/** Returns the text in a style if the terminal shows colors. `printable` lets only these sequences pass. */
export function styled(terminal: Colors, style: Style, text: string): string {
  if (!terminal.hasColors) return text;
  const [begin, end] = styles[style];
  return `\u001b[${begin};${token}m${escaped(text)}\u001b[${end};${token}m`;
}

/**
 * Returns the text with the escapes of JSON for control characters. Lists, caches and plugins could otherwise move the cursor,
 * hide lines or color them. The sequences of `styled` stay.
 */
export function printable(text: string): string {
  return escaped(text).replaceAll(`;${token}m`, "m");
}

/** The same, with the sequences of `styled` as they are. */
export function escaped(text: string): string {
  return text.replace(unprintable, (found) => {
    if (found.length > 1 || found === "\n" || found === "\t") return found;
    return `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** Returns a text as a part of one line: a line break in it gets its escape too. */
export function oneLine(text: string): string {
  return text.replaceAll("\r", "\\r").replaceAll("\n", "\\n");
}

/** Writes the data of `--json`. */
export function jsonText(data: unknown): string {
  return `${JSON.stringify(data, null, 2)}\n`;
}

/** Writes a number of things, such as `2 files`. */
export function counted(count: number, word: string, words = `${word}s`): string {
  return `${count} ${count === 1 ? word : words}`;
}

// Also the characters that change the direction of a text, and the line breaks of Unicode.
const unprintable = new RegExp(`\\r\\n|\\u001b\\[\\d+;${token}m|[\\p{Cc}\\p{Bidi_Control}\\u2028\\u2029]`, "gu");
