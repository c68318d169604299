import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { writeAtomically } from "../files/atomic-write.ts";
import type { ListFile } from "../lists/list-file.ts";
import type { Terminal } from "../terminal.ts";
import { Trouble, withPath } from "../trouble.ts";
import { fixFiles } from "./fix.ts";
import type { Finding } from "./lint.ts";
import type { Context } from "./rule.ts";

/** Applies all safe edits to the files on the disk, and says so on stderr. Returns the files as they are then. */
export function fixInPlace(
  files: readonly ListFile[],
  terminal: Pick<Terminal, "directory" | "writeError">,
  around: Omit<Context, "lists"> = {},
): readonly ListFile[] {
  const { files: after, fixed } = fixFiles(files, around);
  for (const [index, file] of files.entries()) {
    const text = after[index]?.text ?? file.text;
    if (text !== file.text) replace(file, text, terminal.directory);
    const lines = fixed.filter((finding) => finding.file.path === file.path).map(lineOf);
    terminal.writeError(lines.join(""));
  }
  return after;
}

function replace({ path, text }: ListFile, fixed: string, directory: string): void {
  const full = resolve(directory, path);
  if (!withPath(path, () => readFileSync(full)).equals(Buffer.from(text))) {
    throw new Trouble(`${path}: another program changed the file, or it is not UTF-8; it stays as it is`);
  }
  writeAtomically(full, fixed);
}

function lineOf({ file, position, message, code }: Finding): string {
  return `${file.path}:${position.line}:${position.column}: fixed: ${message} [${code}]\n`;
}
