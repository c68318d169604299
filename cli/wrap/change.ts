import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from "diff";
import { backUp, writeAtomically } from "../files/atomic-write.ts";
import { lintFiles } from "../lint/lint.ts";
import { textReport } from "../lint/text-report.ts";
import { readListFile, unchangedPath } from "../lists/find-files.ts";
import { type List, listOf } from "../lists/list.ts";
import { type ListFile, parseListFile, positionOf } from "../lists/list-file.ts";
import { type Colors, jsonText, oneLine, type Style, styled, type Terminal, Trouble } from "../terminal.ts";

/** A change of a list that a command offers. */
interface Change {
  readonly list: List;
  /** The decisions, for `--json`. */
  readonly decisions: { readonly plugins: readonly unknown[]; readonly notes: readonly string[] };
  /** What the command says about a file that it does not change, in words that follow its path. */
  readonly idle: string;
  /** The decisions in words, one line each. */
  readonly words: readonly string[];
  readonly text: string;
  /** Why --write does not change the file. */
  readonly refusal?: string | undefined;
}

/** Reads a list that a command is about to change. Throws Trouble with a place if it is not one. */
export function readList(path: string, directory: string): List {
  const file = readListFile(path, directory);
  // guard: a file that is no list is not changed
  const list = file.errors.length > 0 ? undefined : listOf(file);
  if (list) return list;
  const [finding] = lintFiles([file]);
  const { line, column } = finding?.position ?? positionOf(file, 0);
  throw new Trouble(`${path}:${line}:${column}: ${finding?.message ?? "this is not a list"}`);
}

/** Shows a change, and writes it with `--write`. */
export function offer(change: Change, options: { write?: true; json?: true }, terminal: Terminal): void {
  const { list, decisions, words, text, refusal } = change;
  const { path, text: before } = list.file;
  const isChanged = text !== before;
  // guard: a list is written only with --write and without a refusal
  const isWritten = isChanged && options.write && refusal === undefined;
  const backup = isWritten ? write(list.file, text, terminal) : undefined;
  if (options.json) {
    terminal.write(jsonText({ file: path, changed: isChanged, backup, refusal, ...decisions }));
    return;
  }
  if (isChanged) terminal.write(diffText(path, before, text, terminal));
  const lines = [...(isChanged ? [] : [`${path} ${change.idle}.`]), ...words];
  for (const line of lines) terminal.writeError(`${oneLine(line)}\n`);
  if (backup) terminal.writeError(`Wrote ${path}. The old text is in ${backup}.\n`);
  else if (isChanged)
    terminal.writeError(
      `${refusal ?? ""}Nothing was written.${options.write ? "" : " Add --write to change the file."}\n`,
    );
}

function write(file: ListFile, text: string, { directory }: Terminal): string {
  const full = unchangedPath(file, directory);
  let backup = "";
  const lastLook = () => {
    backup = backUp(full);
  };
  writeAtomically(full, text, { followsLinks: true, lastLook });
  return `${file.path}${backup.slice(full.length)}`;
}

/** Shows the errors that lint finds in the new text. Returns whether there are any. */
export function showErrors({ list, text }: Change, terminal: Terminal): boolean {
  const errors = lintFiles([parseListFile(list.file.path, text)]).filter(({ severity }) => severity === "error");
  // guard: a list that has errors is not called good
  if (errors.length === 0) return false;
  terminal.writeError(`\nThe list still has errors:\n${textReport(errors, terminal)}`);
  return true;
}

/** Returns the unified diff of a file's old and new text, as `patch` reads it; colored if the terminal shows colors. */
export function diffText(path: string, before: string, after: string, terminal: Colors): string {
  const patch = structuredPatch(path, path, before, after, undefined, undefined, { context: 3 });
  const lines = formatPatch(patch, FILE_HEADERS_ONLY).trimEnd().split("\n");
  const colored = lines.map((line) => {
    const [, style] = styles.find(([pattern]) => pattern.test(line)) ?? [];
    return style === undefined ? line : styled(terminal, style, line);
  });
  return `${colored.join("\n")}\n`;
}

const styles: readonly (readonly [RegExp, Style])[] = [
  [/^(?:---|\+\+\+) /, "bold"],
  [/^@@/, "cyan"],
  [/^-/, "red"],
  [/^\+/, "green"],
];
