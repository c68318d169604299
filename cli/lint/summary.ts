import type { ListFile } from "../lists/list-file.ts";
import type { Finding } from "./lint.ts";
import type { Severity } from "./rule.ts";

/** One line about a whole run, such as `3 errors, 1 warning in 2 of 5 files`. */
export function summaryOf(files: readonly ListFile[], findings: readonly Finding[]): string {
  if (findings.length === 0) return `no mistakes in ${counted(files.length, "file")}`;
  const counts = severities.flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count > 0 ? [counted(count, severity)] : [];
  });
  const faulty = new Set(findings.map(({ file }) => file));
  const inFiles = files.filter((file) => faulty.has(file)).length;
  const places = [
    ...(inFiles > 0 ? [`in ${inFiles} of ${counted(files.length, "file")}`] : []),
    ...(faulty.size > inFiles ? ["on the host"] : []),
  ];
  return `${counts.join(", ")} ${places.join(" and ")}`;
}

const severities: readonly Severity[] = ["error", "warning"];

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
