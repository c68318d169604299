import { oneLine, styled, type Terminal } from "../terminal.ts";
import type { Finding } from "./lint.ts";

/** The findings for people: file:line:col, the line with a mark below the place, the hint, the rule's section. */
export function textReport(findings: readonly Finding[], terminal: Pick<Terminal, "hasColors">): string {
  return findings.map((finding) => `${textOf(finding, terminal)}\n`).join("\n");
}

function textOf(finding: Finding, terminal: Pick<Terminal, "hasColors">): string {
  const { file, position, severity, code, message, hint } = finding;
  const color = severity === "error" ? "red" : "yellow";
  // A finding about the host has no line.
  const place = file.text === "" ? "" : `:${position.line}:${position.column}`;
  const at = styled(terminal, "bold", `${oneLine(file.path)}${place}:`);
  const margin = " ".repeat(String(position.line).length);
  const marked = [` ${position.line} | ${lineOf(finding)}`, ` ${margin} | ${styled(terminal, color, markOf(finding))}`];
  return [
    `${at} ${styled(terminal, color, `${severity}:`)} ${oneLine(message)} ${styled(terminal, "dim", `[${code}]`)}`,
    ...(file.text === "" ? [] : marked),
    `hint: ${oneLine(hint)}. See cni-wrappers lint --explain ${code}`,
  ].join("\n");
}

// A tab takes one column in the mark's line too.
function lineOf({ file, position }: Finding): string {
  return (file.text.split("\n")[position.line - 1] ?? "").replaceAll("\t", " ").trimEnd();
}

function markOf(finding: Finding): string {
  const rest = lineOf(finding).length - finding.position.column + 1;
  const length = Math.max(1, Math.min(finding.place.length, rest));
  return `${" ".repeat(finding.position.column - 1)}^${"~".repeat(length - 1)}`;
}
