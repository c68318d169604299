import type { Finding } from "./lint.ts";

/** The findings as GitHub's workflow commands, which become annotations of a pull request. */
export function githubReport(findings: readonly Finding[]): string {
  return findings.map((finding) => `${commandOf(finding)}\n`).join("");
}

function commandOf({ file, position, end, severity, code, message, hint }: Finding): string {
  const properties = {
    file: file.path,
    line: position.line,
    endLine: end.line,
    col: position.column,
    endColumn: end.column,
    title: code,
  };
  const named = Object.entries(properties).map(([key, value]) => `${key}=${inProperty(String(value))}`);
  return `::${severity} ${named.join(",")}::${inMessage(`${message}. ${hint}`)}`;
}

function inMessage(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function inProperty(text: string): string {
  return inMessage(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
