import { type JSONPath, type Node, type ParseError, parseTree } from "jsonc-parser";
import { once } from "../once.ts";

/** A file with a network configuration list, or with the configuration of one plugin. */
export interface ListFile {
  /** The path as people read it. */
  readonly path: string;
  readonly text: string;
  /** The JSON in the text, as far as it can be read. */
  readonly tree: Node | undefined;
  readonly errors: readonly ParseError[];
}

/** A part of a file's text, in UTF-16 units. */
export interface Place {
  readonly offset: number;
  readonly length: number;
}

/** A line and a column, both from 1. The column counts characters. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Parses a file. Comments and trailing commas are errors, because no runtime accepts them. */
export function parseListFile(path: string, text: string): ListFile {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true });
  return { path, text, tree, errors };
}

/** Returns the place of the value at a path. If it is missing, the place of the nearest value around it. */
export function valueAt({ tree }: ListFile, path: JSONPath): Place {
  for (let length = path.length; tree && length >= 0; length--) {
    const node = nodeAt(tree, path.slice(0, length));
    // A list or an object is marked at its bracket only.
    if (node) return { offset: node.offset, length: node.children ? 1 : node.length };
  }
  return { offset: 0, length: 0 };
}

/** Returns the place of the key at a path. If it is missing, the place of the nearest value around it. */
export function keyAt(file: ListFile, path: JSONPath): Place {
  const node = file.tree && nodeAt(file.tree, path)?.parent;
  const key = node?.type === "property" ? node.children?.[0] : undefined;
  return key ? { offset: key.offset, length: key.length } : valueAt(file, path);
}

// findNodeAtLocation of jsonc-parser looks through all keys of an object for each finding.
function nodeAt(tree: Node, path: JSONPath): Node | undefined {
  return path.reduce<Node | undefined>((node, segment) => node && childrenOf(node).get(segment), tree);
}

const childrenOf = once((node: Node) => new Map(entriesOf(node)));

/** The values in an object or a list, by their keys. The last one of two equal keys counts, as for runtimes. */
function entriesOf({ type, children: inside = [] }: Node): (readonly [string | number, Node])[] {
  if (type === "array") return inside.map((value, index) => [index, value]);
  if (type !== "object") return [];
  return inside.flatMap(({ children: [key, value] = [] }) => (key && value ? [[String(key.value), value]] : []));
}

/** Returns the line and the column of an offset. */
export function positionOf(file: Pick<ListFile, "text">, offset: number): Position {
  const { starts, pairs } = signsOf(file);
  const line = Math.max(1, countBelow(starts, offset + 1));
  const start = starts[line - 1] ?? 0;
  // A character beyond U+FFFF has two units.
  const second = countBelow(pairs, offset) - countBelow(pairs, start);
  return { line, column: offset - start - second + 1 };
}

/** Returns a line without its end. The first one has the number 1. */
export function lineAt(file: Pick<ListFile, "text">, line: number): { readonly text: string; readonly start: number } {
  const { starts } = signsOf(file);
  const start = starts[line - 1] ?? file.text.length;
  return { text: file.text.slice(start, starts[line] ?? file.text.length).replace(/\n$/, ""), start };
}

// A file may have thousands of findings, and all in one line.
const signsOf = once(({ text }: Pick<ListFile, "text">) => ({
  /** The offsets at which lines begin. */
  starts: [0, ...offsetsAfter(text, /\n/g)],
  /** The offsets of the second units of characters that have two. */
  pairs: offsetsAfter(text, /[\ud800-\udbff](?=[\udc00-\udfff])/g),
}));

function offsetsAfter(text: string, sign: RegExp): readonly number[] {
  return Array.from(text.matchAll(sign), ({ index }) => index + 1);
}

/** How many of the sorted numbers are below a limit. */
function countBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
