import { exampleAttachment, exampleSource } from "../explain/example-source.ts";
import { explain } from "../explain/explain.ts";
import { explanationText } from "../explain/text.ts";
import { type Outcome, verdictOf } from "../explain/verdict.ts";
import { type Finding, lintFiles } from "../lint/lint.ts";
import { isRewritten } from "../lists/chain.ts";
import { type List, listOf } from "../lists/list.ts";
import { type ListFile, parseListFile, positionOf } from "../lists/list-file.ts";
import { Trouble } from "../trouble.ts";
import { type Decisions, decide } from "../wrap/decide.ts";
import { wrappedText } from "../wrap/edits.ts";

/** The verbs that the page shows step by step. */
export const verbs = ["ADD", "CHECK", "DEL", "GC", "STATUS"] as const;

/** A verb that the page shows. */
export type PageVerb = (typeof verbs)[number];

/** What the page says about a text. */
export interface Answers {
  /** Why there is no list; undefined if there is one. */
  readonly problem?: string;
  readonly findings: readonly Finding[];
  readonly list?: List;
  readonly outcomes: readonly Outcome[];
  readonly wrapping?: Wrapping;
}

/** The wrapped list. */
export interface Wrapping extends Decisions {
  readonly text: string;
}

/** The longest text that the page reads, in UTF-16 units, and the most plugins: a browser has one thread for all of it. */
const [longestText, mostPlugins] = [64 * 1024, 16];

/** Answers for a text. `path` is the name of its file, which the rules look at. It never throws. */
export function answersFor(text: string, path: string): Answers {
  if (text.trim() === "") return unread("There is no list yet.");
  if (text.length > longestText) return unread(`The page reads lists of up to ${longestText / 1024} KB. ${elsewhere}`);
  return readable(() => answersOf(parseListFile(path, text)), unread);
}

const elsewhere = "For longer ones use cni-wrappers explain.";

function unread(problem: string): Answers {
  return { problem, findings: [], outcomes: [] };
}

/** Runs what reads a list. The parser and the rules call themselves for each value in a value. */
function readable<T>(read: () => T, otherwise: (problem: string) => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return otherwise("Its values are nested too deeply.");
    if (error instanceof Trouble) return otherwise(error.message);
    throw error;
  }
}

function answersOf(file: ListFile): Answers {
  const list = file.errors.length > 0 ? undefined : listOf(file);
  if (list && list.plugins.length > mostPlugins)
    return unread(`It has ${list.plugins.length} plugins; the page reads up to ${mostPlugins}. ${elsewhere}`);
  const findings = lintFiles([file]);
  if (!list) return { ...unread(problemOf(file, findings)), findings };
  return { findings, list, outcomes: outcomesOf(list), wrapping: wrappingOf(list) };
}

function problemOf(file: ListFile, [finding]: readonly Finding[]): string {
  const { line, column } = finding?.position ?? positionOf(file, 0);
  return `Line ${line}, column ${column}: ${finding?.message ?? "this is not a list"}.`;
}

const noJq = "the page does not run jq";

function outcomesOf(list: List): readonly Outcome[] {
  if (list.plugins.some(isRewritten)) return [{ event: "start", passes: undefined, message: noJq, leaves: [] }];
  return verdictOf(list, exampleAttachment(list), undefined);
}

function wrappingOf(list: List): Wrapping {
  const decisions = decide(list);
  return readable<Wrapping>(
    () => ({ ...decisions, text: wrappedText(list, decisions) }),
    (problem) => ({ plugins: [], notes: [problem], text: list.file.text }),
  );
}

/** Returns what each plugin of a list is given and returns, as `explain` writes it for a terminal of 80 columns. */
export function stepsText(list: List, verb: PageVerb): string {
  if (list.plugins.some(isRewritten)) return `Not known: ${noJq}.\n`;
  const explanation = explain(list, verb, exampleSource(exampleAttachment(list)));
  return explanationText(explanation, { hasColors: false, width: 80 });
}
