import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { candidateOf, type Words, wordsOf } from "./compare.ts";
import { type Candidate, seenOf } from "./truth.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const file = path.join(root, "test/fixtures/verdicts/seen.jsonl");

/** A line: a list and its name, or the name of its file; the events that pass, and the words for the others. */
type Line = { readonly name: string; readonly list?: object; readonly passes: readonly string[] } & Words;

/** Returns the recorded lists, and what the real plugins did with each. */
export function recorded(): { readonly candidate: Candidate; readonly words: Words }[] {
  return linesOf().map(({ name, list, passes, ...words }) => ({
    candidate: candidate(name, list),
    words: { ...Object.fromEntries(passes.map((event) => [event, "passes"])), ...words },
  }));
}

function linesOf(): Line[] {
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

function candidate(name: string, list: object | undefined): Candidate {
  if (list) return candidateOf(`${name}.conflist`, JSON.stringify(list));
  return candidateOf(name, readFileSync(path.join(root, name), "utf8"));
}

/** Runs each recorded list with the real plugins, and writes what they did. */
export async function record(): Promise<void> {
  const lines: string[] = [];
  for (const { name, list } of linesOf()) {
    const words = Object.entries(wordsOf(await seenOf(candidate(name, list))));
    const passes = words.flatMap(([event, one]) => (one === "passes" ? event : []));
    const others = Object.fromEntries(words.filter(([, one]) => one !== "passes"));
    lines.push(`${JSON.stringify({ name, list, passes, ...others })}\n`);
  }
  writeFileSync(file, lines.join(""));
}
