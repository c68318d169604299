import type { Terminal } from "../terminal.ts";
import { githubReport } from "./github-report.ts";
import { jsonReport } from "./json-report.ts";
import type { Finding } from "./lint.ts";
import { sarifReport } from "./sarif-report.ts";
import { textReport } from "./text-report.ts";

/** Formats findings for stdout. */
export type Report = (findings: readonly Finding[], terminal: Pick<Terminal, "hasColors" | "release">) => string;

/** The formats of `lint`, by the names of `--format`. */
export const reports = {
  text: textReport,
  json: jsonReport,
  github: githubReport,
  sarif: sarifReport,
} as const satisfies Readonly<Record<string, Report>>;

/** A name for `--format`. */
export type Format = keyof typeof reports;
