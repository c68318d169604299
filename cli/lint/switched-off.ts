import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../shared/protocol/json.ts";
import { longestList, readInput } from "../files/read-input.ts";
import { rules } from "../rules/index.ts";
import { counted, oneLine, Trouble } from "../terminal.ts";
import { noRule } from "./explain-rule.ts";
import type { Finding } from "./lint.ts";

/** The file that switches off rules for the lists of its directory. No runtime reads a file of this name. */
const name = ".cni-wrappers-lint";
const example = '{ "*": { "unknown-key": "why" } }';

/** For each file, or `*` for all of them, the codes of the rules that are switched off, each with its reason. */
type Reasons = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Says why a finding does not count; undefined if it does. */
export type ReasonOf = (finding: Pick<Finding, "file" | "code">) => string | undefined;

/** Reads which rules are switched off in the directories of these files. Throws Trouble if one has no reason. */
export function readSwitchedOff(files: readonly Pick<Finding["file"], "path">[], directory: string): ReasonOf {
  const folders = [...new Set(files.map(({ path }) => dirname(path)))];
  const known = new Map(folders.map((folder) => [folder, readReasons(join(folder, name), directory)]));
  return ({ file: { path, text }, code }) => {
    // A finding about the host belongs to no directory.
    if (text === "") return [...known.values()].find((reasons) => reasons["*"]?.[code])?.["*"]?.[code];
    const reasons = known.get(dirname(path));
    return reasons?.[basename(path)]?.[code] ?? reasons?.["*"]?.[code];
  };
}

function readReasons(path: string, directory: string): Reasons {
  const full = resolve(directory, path);
  if (!existsSync(full)) return {};
  const reasons = parseJsonObject(readInput(path, full, longestList).toString());
  const problem = reasons ? problemOf(reasons) : "it is not a JSON object";
  if (problem !== undefined) throw new Trouble(`${path}: ${problem}`);
  return reasons as Reasons;
}

function problemOf(reasons: JsonObject): string | undefined {
  for (const [file, codes] of Object.entries(reasons)) {
    if (!isJsonObject(codes)) return `${file} is no file with rules; write ${example}`;
    for (const [code, reason] of Object.entries(codes)) {
      if (!rules.some((rule) => rule.code === code)) return noRule(code);
      if (typeof reason !== "string" || reason === "") return `it has no reason for ${code}; write ${example}`;
    }
  }
  return undefined;
}

/** Says how many findings do not count and why, one line for each rule and reason. */
export function switchedOffLines(findings: readonly Finding[], reasonOf: ReasonOf): readonly string[] {
  const lines = findings.flatMap((finding) => {
    const reason = reasonOf(finding);
    return reason === undefined ? [] : `${finding.code} is switched off: ${oneLine(reason)}`;
  });
  return [...Map.groupBy(lines, (line) => line)].map(([line, { length }]) => `${line} (${counted(length, "finding")})`);
}
