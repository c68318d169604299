import { type Node, nodesOf, placeOf, type Visited } from "../../support/syntax.ts";
import { type Change, changesOf } from "./mutators.ts";
import { rustChanges } from "./rust-mutators.ts";

/** One small fault that can be switched on in a source. */
export interface Mutant {
  readonly id: number;
  /** The same in each run, as long as its declaration keeps its name and its changed code. */
  readonly key: string;
  readonly file: string;
  /** The lines of the source that it changes, counted from 1. */
  readonly lines: readonly [first: number, last: number];
  /** The declaration of the module that contains it. */
  readonly place: string;
  /** The type of the node that it changes. */
  readonly type: string;
  /** The part of the source that it changes, and the replacement. */
  readonly original: string;
  readonly replacement: string;
  readonly switch: Switch;
}

/** The range of the switch in the source, and the text of this range with the mutant. */
export interface Switch {
  readonly form: Change["form"];
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The mutants of one source, in its order, counted from `firstId`. */
export function mutantsOf(file: string, source: string, firstId = 0): Mutant[] {
  const all = isRust(file)
    ? rustMutants(source)
    : nodesOf(source).flatMap((visited) =>
        changesOf(visited, source).map((change) => mutantOf(visited, change, source)),
      );
  const distinct = new Map(all.map((mutant) => [JSON.stringify(mutant.switch), mutant]));
  const times = new Map<string, number>();
  return [...distinct.values()].map((mutant, index) => {
    const { place, type, original, replacement } = mutant;
    const key = [file, place, type, original, replacement].join("\0");
    times.set(key, (times.get(key) ?? 0) + 1);
    return { ...mutant, id: firstId + index, key: `${key}\0${times.get(key)}`, file };
  });
}

/** Whether a mutant of a file cannot be switched on: each is another build of the executable. */
export function isRust(file: string): boolean {
  return file.endsWith(".rs");
}

function rustMutants(source: string): Omit<Mutant, "id" | "key" | "file">[] {
  return rustChanges(source).map(({ start, end, text, form, place, type }) => ({
    ...{ lines: [lineAt(source, start), lineAt(source, end)], place, type, replacement: text },
    ...{ original: source.slice(start, end), switch: { form, start, end, text } },
  }));
}

function mutantOf(visited: Visited, change: Change, source: string): Omit<Mutant, "id" | "key" | "file"> {
  const { start, end } = hostOf(visited, change);
  const withChange = (from: number, to: number) =>
    source.slice(from, change.start) + change.text + source.slice(change.end, to);
  const shown = chained.includes(visited.node.type) ? visited.node : change;
  return {
    lines: [lineAt(source, change.start), lineAt(source, change.end)],
    place: placeOf(visited),
    type: visited.node.type,
    original: source.slice(shown.start, shown.end),
    replacement: withChange(shown.start, shown.end),
    switch: { form: change.form, start, end, text: withChange(start, end) },
  };
}

const chained = ["CallExpression", "OptionalCallExpression", "OptionalMemberExpression"];

/**
 * The expression that can be switched as a whole. A link of a chain (`a?.b.c()`) cannot: the next link needs its `this`
 * and stops with it.
 */
function hostOf({ node, ancestors }: Visited, change: Change): { readonly start: number; readonly end: number } {
  if (change.form !== "expression" || !chained.includes(node.type)) return change;
  const around = [node, ...ancestors];
  return around.find((link, index) => !isLink(link, around[index + 1])) ?? node;
}

function isLink(node: Node, parent: Node | undefined): boolean {
  if (parent === undefined) return false;
  return parent.object === node || parent.callee === node || parent.type === "TSNonNullExpression";
}

function lineAt(source: string, offset: number): number {
  return source.slice(0, offset).split("\n").length;
}
