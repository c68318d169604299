import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { rules } from "../rules/index.ts";
import type { Terminal } from "../terminal.ts";
import type { Finding } from "./lint.ts";
import type { Rule } from "./rule.ts";

/** The findings as SARIF 2.1.0, which code scanners read. */
export function sarifReport(findings: readonly Finding[], { release }: Pick<Terminal, "release">): string {
  const driver = { name: "cni-wrappers", version: release.version, rules: rules.map(ruleOf) };
  const run = { tool: { driver }, columnKind: "unicodeCodePoints", results: findings.map(resultOf) };
  const log = { $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] };
  return `${JSON.stringify(log, undefined, 2)}\n`;
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
