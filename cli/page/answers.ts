import type { Node } from "jsonc-parser";
import type { ConfiguredVerb } from "../../shared/protocol/request.ts";
import { explain } from "../explain/explain.ts";
import { checkAfterScript, type Failure } from "../explain/list-run.ts";
import { exampleAttachment, exampleSource } from "../explain/model-answers.ts";
import { explanationText } from "../explain/text.ts";
import { counted, type Outcome, verdictOf } from "../explain/verdict.ts";
import { type Finding, lintFiles } from "../lint/lint.ts";
import { creatorsOf, isRewritten, type List, listOf } from "../lists/list.ts";
import { type ListFile, parseListFile, positionOf } from "../lists/list-file.ts";
import { Trouble } from "../terminal.ts";
import { type Decisions, decide, decideAlone } from "../wrap/decide.ts";
import { wrappedText } from "../wrap/edits.ts";
import { deepest, mostPlugins } from "./limits.ts";

/** Where the page writes the texts of the commands. */
export const screen = { hasColors: false, width: 80 };

/** What the page says about a text. */
export interface Answers {
  /** Why there is no list; undefined if there is one. */
  readonly problem?: string;
  readonly findings: readonly Finding[];
  readonly list?: List;
  readonly outcomes: readonly Outcome[];
  /** What CHECK fails with where a script runs the list's ADD, if ADD fails without one. */
  readonly afterScript?: Failure | undefined;
  readonly wrapping?: Wrapping;
}

/** The wrapped list. */
export interface Wrapping extends Decisions {
  readonly text: string;
  /** Whether everything passes in this one, if something fails in the list. Undefined if that is not known. */
  readonly passes?: boolean | undefined;
}

/** Answers for a text. It never throws. */
export function answersFor(text: string): Answers {
  if (text.trim() === "") return unread("There is no list yet.");
  return readable(() => answersOf(fileWith(text)), unread);
}

/** Some rules look at how a file's name ends: runtimes read one plugin without a list only from a .conf. */
function fileWith(text: string): ListFile {
  const file = parseListFile("list.conflist", text);
  const list = listOf(file);
  return list && !list.hasPlugins && list.value.type !== undefined ? { ...file, path: "list.conf" } : file;
}

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
  if (depthOf(file.tree) > deepest) throw new RangeError();
  const list = file.errors.length > 0 ? undefined : listOf(file);
  if (list && list.plugins.length > mostPlugins)
    return unread(
      `It has ${list.plugins.length} plugins; the page reads up to ${mostPlugins}. Use cni-wrappers explain.`,
    );
  const findings = lintFiles([file]);
  if (!list) return { ...unread(problemOf(file, findings)), findings };
  const outcomes = outcomesOf(list);
  const started = outcomes.find(({ event }) => event === "start")?.passes;
  const afterScript = started === false ? checkAfterScript(list, exampleAttachment(list)) : undefined;
  return { findings, list, outcomes, afterScript, wrapping: wrappingOf(list, outcomes) };
}

/** How many values are around the innermost one. */
function depthOf(tree: Node | undefined): number {
  let depth = -1;
  for (let level = tree ? [tree] : []; level.length > 0; depth++) {
    level = level.flatMap(({ children = [] }) => children);
  }
  return depth;
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

function wrappingOf(list: List, outcomes: readonly Outcome[]): Wrapping {
  const wrapping = written(list, decide(list));
  if (!counted(outcomes).some(({ passes }) => passes === false)) return wrapping;
  if (wrapping.text !== list.file.text) return { ...wrapping, passes: allPass(wrapping.text) };
  // `wrap` leaves a list alone whose only interface plugin passes every day. Rarer events may fail even so.
  const alone = written(list, decideAlone(list));
  if (alone.text !== list.file.text && allPass(alone.text)) return { ...alone, passes: true };
  const [only] = creatorsOf(list);
  return only?.isWrapped === false ? { ...wrapping, notes: ["Wrappers would not fix what fails."] } : wrapping;
}

function written(list: List, decisions: Decisions): Wrapping {
  return readable<Wrapping>(
    () => ({ ...decisions, text: wrappedText(list, decisions) }),
    (problem) => ({ plugins: [], notes: [problem], text: list.file.text }),
  );
}

function allPass(text: string): boolean | undefined {
  const list = listOf(fileWith(text));
  const ends = list ? counted(outcomesOf(list)).map(({ passes }) => passes) : [undefined];
  return ends.includes(false) ? false : ends.includes(undefined) ? undefined : true;
}

/** Returns what each plugin of a list is given and returns, as `explain` writes it for a terminal of 80 columns. */
export function stepsText(list: List, verb: ConfiguredVerb): string {
  if (list.plugins.some(isRewritten)) return `Not known: ${noJq}.\n`;
  const explanation = explain(list, verb, exampleSource(exampleAttachment(list)));
  return explanationText(explanation, screen);
}
