import type { Finding } from "./lint.ts";

/** The findings for programs: one array, whose keys stay the same. */
export function jsonReport(findings: readonly Finding[]): string {
  return `${JSON.stringify(findings.map(dataOf), undefined, 2)}\n`;
}

function dataOf({ file, position, end, severity, code, message, hint, fix }: Finding): object {
  return {
    file: file.path,
    line: position.line,
    column: position.column,
    endLine: end.line,
    endColumn: end.column,
    severity,
    code,
    message,
    hint,
    fixable: fix !== undefined,
  };
}
