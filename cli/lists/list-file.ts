import { findNodeAtLocation, type JSONPath, type Node, type ParseError, parseTree } from "jsonc-parser";

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
  const tree = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  return { path, text, tree, errors };
}

/** Returns the place of the value at a path. If it is missing, the place of the nearest value around it. */
export function valueAt({ tree }: ListFile, path: JSONPath): Place {
  for (let length = path.length; tree && length >= 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node) return firstLine(node);
  }
  return { offset: 0, length: 0 };
}

/** Returns the place of the key at a path. If it is missing, the place of the nearest value around it. */
export function keyAt(file: ListFile, path: JSONPath): Place {
  const node = file.tree && findNodeAtLocation(file.tree, path)?.parent;
  const key = node?.type === "property" ? node.children?.[0] : undefined;
  return key ? { offset: key.offset, length: key.length } : valueAt(file, path);
}

/** Returns the line and the column of an offset. */
export function positionOf({ text }: Pick<ListFile, "text">, offset: number): Position {
  const start = text.lastIndexOf("\n", offset - 1) + (offset > 0 ? 1 : 0);
  let line = 1;
  for (let end = text.indexOf("\n"); end >= 0 && end < offset; end = text.indexOf("\n", end + 1)) line++;
  return { line, column: [...text.slice(start, offset)].length + 1 };
}

/** A list or an object is marked at its bracket only. */
function firstLine({ type, offset, length }: Node): Place {
  return type === "object" || type === "array" ? { offset, length: 1 } : { offset, length };
}
