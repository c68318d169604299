import { readdirSync } from "node:fs";
import path from "node:path";
import { table } from "../../build/docs/table.ts";
import type { Rule } from "../../cli/lint/rule.ts";
import { textReport } from "../../cli/lint/text-report.ts";
import { rules } from "../../cli/rules/index.ts";
import { findingsOf } from "./lint-findings.ts";
import { lintFixtureDirectory } from "./lint-fixtures.ts";

/** The generated part of docs/lint.md: a table of the rules, and a section for each with a real report. */
export function lintPage(): string {
  const rows = rules.map(({ code, severity, title }) => [`[${code}](#${code})`, severity, title]);
  return [table(["rule", "severity", "what is wrong"], rows), ...rules.map(sectionOf)].join("\n\n");
}

function sectionOf({ code, page }: Rule): string {
  const findings = findingsOf(path.join(lintFixtureDirectory, code, exampleOf(code)));
  const report = textReport(findings.slice(0, 1), { hasColors: false }).trimEnd();
  const fixed = findings[0]?.fix ? ["`lint --fix` corrects this."] : [];
  return [`## ${code}`, page, `\`\`\`text\n${report}\n\`\`\``, ...fixed].join("\n\n");
}

/** The first fixture that shows the mistake. */
function exampleOf(code: string): string {
  const names = readdirSync(path.join(lintFixtureDirectory, code)).sort();
  const name = names.find((candidate) => candidate.startsWith("err-"));
  if (name === undefined) throw new Error(`no fixture shows ${code}`);
  return name;
}
