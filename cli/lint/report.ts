import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import type { ListFile } from "../lists/list-file.ts";
import { rules } from "../rules/index.ts";
import { counted, jsonText, type Terminal } from "../terminal.ts";
import type { Finding } from "./lint.ts";
import type { Rule, Severity } from "./rule.ts";
import { textReport } from "./text-report.ts";

/** The formats of `lint` for stdout, by the names of `--format`. */
export const reports = {
  text: textReport,
  json: jsonReport,
  github: githubReport,
  sarif: sarifReport,
} as const;

/** A name for `--format`. */
export type Format = keyof typeof reports;

/** The findings for programs: one array, whose keys stay the same. */
export function jsonReport(findings: readonly Finding[]): string {
  const data = findings.map(({ file, position, end, severity, code, message, hint, fix }) => ({
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
  }));
  return jsonText(data);
}

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

/** The findings as SARIF 2.1.0, which code scanners read. */
export function sarifReport(findings: readonly Finding[], { release }: Pick<Terminal, "release">): string {
  const driver = { name: "cni-wrappers", version: release.version, rules: rules.map(ruleOf) };
  const run = { tool: { driver }, columnKind: "unicodeCodePoints", results: findings.map(resultOf) };
  return jsonText({ $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] });
}

function ruleOf({ code, severity, title, page }: Rule): object {
  return {
    id: code,
    shortDescription: { text: title },
    help: { text: page, markdown: page },
    defaultConfiguration: { level: severity },
  };
}

function resultOf({ file, position, end, severity, code, message, hint }: Finding): object {
  const region = {
    startLine: position.line,
    startColumn: position.column,
    endLine: end.line,
    endColumn: end.column,
  };
  return {
    ruleId: code,
    ruleIndex: rules.findIndex((rule) => rule.code === code),
    level: severity,
    message: { text: `${message}. ${hint}.` },
    locations: [{ physicalLocation: { artifactLocation: { uri: uriOf(file.path) }, region } }],
  };
}

function uriOf(path: string): string {
  return isAbsolute(path) ? pathToFileURL(path).href : path.split("/").map(encodeURIComponent).join("/");
}

/** One line about a whole run, such as `3 errors, 1 warning in 2 of 5 files`. `isPart`: some findings are switched off. */
export function summaryOf(files: readonly ListFile[], findings: readonly Finding[], isPart = false): string {
  if (findings.length === 0) return `no ${isPart ? "other " : ""}mistakes in ${counted(files.length, "file")}`;
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
