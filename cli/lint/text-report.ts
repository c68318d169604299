import { type ListFile, lineAt } from "../lists/list-file.ts";
import { type Colors, oneLine, styled } from "../terminal.ts";
import type { Finding } from "./lint.ts";

/** The findings for people: file:line:col, the line with a mark below the place, the hint, the rule's section. */
export function textReport(findings: readonly Finding[], terminal: Colors): string {
  return findings.map((finding) => `${textOf(finding, terminal)}\n`).join("\n");
}

function textOf(finding: Finding, terminal: Colors): string {
  const { file, position, severity, code, message, hint } = finding;
  const color = severity === "error" ? "red" : "yellow";
  // A finding about the host has no line.
  const place = file.text === "" ? "" : `:${position.line}:${position.column}`;
  const at = styled(terminal, "bold", `${oneLine(file.path)}${place}:`);
  const margin = " ".repeat(String(position.line).length);
  const { line, mark } = excerptOf(finding);
  const marked = [` ${position.line} | ${line}`, ` ${margin} | ${styled(terminal, color, mark)}`];
  return [
    `${at} ${styled(terminal, color, `${severity}:`)} ${oneLine(message)} ${styled(terminal, "dim", `[${code}]`)}`,
    ...(isShown(file) ? marked : []),
    `hint: ${oneLine(hint)}${hint.endsWith("?") ? "" : "."} See cni-wrappers lint --explain ${code}`,
  ].join("\n");
}

// Anything can have the name of a list, also a file with secrets. A finding about the host has no text.
function isShown({ text }: ListFile): boolean {
  return /^[\uFEFF\s]*[{["/]/.test(text);
}

/** How much of a line is shown before a mark, and in all. A list may be one long line. */
const [mostBefore, mostShown] = [200, 400];

/** The line with a finding, or the part around it, and the mark below. */
function excerptOf({ file, position, place }: Finding): { readonly line: string; readonly mark: string } {
  const { text, start } = lineAt(file, position.line);
  const at = place.offset - start;
  const from = at <= mostBefore ? 0 : at - mostBefore;
  const [before, after] = [text.slice(from, at), text.slice(at, from + mostShown).trimEnd()];
  const dots = [from > 0 ? "…" : "", text.trimEnd().length > from + mostShown ? "…" : ""];
  const length = Math.max(1, Math.min(place.length, after.length));
  return {
    // A tab takes one column in the mark's line too.
    line: `${dots[0]}${before}${after}${dots[1]}`.replaceAll("\t", " "),
    mark: `${" ".repeat([...`${dots[0]}${before}`].length)}^${"~".repeat(length - 1)}`,
  };
}
