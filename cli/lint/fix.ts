import { applyEdits } from "jsonc-parser";
import { writeAtomically } from "../files/atomic-write.ts";
import { unchangedPath } from "../lists/find-files.ts";
import { type ListFile, parseListFile } from "../lists/list-file.ts";
import { oneLine, type Terminal } from "../terminal.ts";
import { type Finding, lintFiles } from "./lint.ts";
import type { Context } from "./rule.ts";
import type { ReasonOf } from "./switched-off.ts";

/** What the rules may look at, and which findings are switched off. */
interface Around extends Omit<Context, "lists"> {
  readonly reasonOf?: ReasonOf;
}

// One edit may be the reason for another. A rule whose edit does not satisfy it must not run for ever.
const mostRounds = 10;

/**
 * Applies the safe edits of all findings. A file that is not JSON afterwards stays as it was. `fixed` are the findings that are
 * gone, with their positions before the edits.
 */
export function fixFiles(files: readonly ListFile[], around: Around = {}) {
  let current = files;
  const fixed: Finding[] = [];
  for (let round = 0; round < mostRounds; round++) {
    const chosen = lintFiles(current, around).filter((finding) => {
      return finding.fix !== undefined && around.reasonOf?.(finding) === undefined;
    });
    if (chosen.length === 0) break;
    fixed.push(...chosen);
    current = current.map((file) => edited(file, chosen));
  }
  const kept = new Set(current.filter((file) => file.errors.length === 0).map(({ path }) => path));
  return {
    files: files.map((file, index) => (kept.has(file.path) ? (current[index] ?? file) : file)),
    fixed: fixed.filter(({ file }) => kept.has(file.path)),
  };
}

function edited(file: ListFile, findings: readonly Finding[]): ListFile {
  const edits = findings.filter((finding) => finding.file === file).flatMap(({ fix = [] }) => fix);
  if (edits.length === 0) return file;
  return parseListFile(file.path, applyEdits(file.text, edits));
}

/** Applies all safe edits to the files on the disk, and says so on stderr. Returns the files as they are then. */
export function fixInPlace(
  files: readonly ListFile[],
  terminal: Pick<Terminal, "directory" | "writeError">,
  around: Around = {},
): readonly ListFile[] {
  const { files: after, fixed } = fixFiles(files, around);
  for (const [index, file] of files.entries()) {
    const text = after[index]?.text ?? file.text;
    if (text !== file.text) writeAtomically(unchangedPath(file, terminal.directory), text, { followsLinks: true });
    for (const { position, message, code } of fixed.filter((finding) => finding.file.path === file.path)) {
      const place = `${file.path}:${position.line}:${position.column}`;
      terminal.writeError(`${oneLine(`${place}: fixed: ${message} [${code}]`)}\n`);
    }
  }
  return after;
}
