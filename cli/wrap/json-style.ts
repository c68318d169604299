import type { Node } from "jsonc-parser";
import type { ListFile } from "../lists/list-file.ts";

/** How a file's author writes JSON. */
export interface JsonStyle {
  /** The text after a colon, and after a comma within a line. */
  readonly colon: string;
  readonly comma: string;
  /** The text within the braces of an object that is on one line. */
  readonly padding: string;
  /** Whether even small objects have a line for each key. */
  readonly isExpanded: boolean;
}

/** Finds the style of a file. `plugins` are the objects that a list usually spreads over several lines. */
export function styleOf(file: ListFile, plugins: readonly Node[]): JsonStyle {
  const objects = objectsIn(file.tree).filter(({ children }) => children?.length);
  const short = objects.find((object) => !gapBefore(file, object, 0).includes("\n"));
  const properties = objects.flatMap(({ children = [] }) => children);
  const isSpaced = properties.some((property) => textAfterColon(file, property) !== "");
  const isExpanded = !short && objects.some((object) => object !== file.tree && !plugins.includes(object));
  const space = isSpaced ? " " : "";
  return { colon: space, comma: space, padding: short ? gapBefore(file, short, 0) : space, isExpanded };
}

/** Writes a flat object as the file's author would. `indent` is the indentation of its key, `unit` one more step. */
export function objectText(value: Readonly<Record<string, unknown>>, style: JsonStyle, indent: string, unit: string) {
  const properties = Object.entries(value).map(([key, one]) => propertyText(key, JSON.stringify(one), style));
  if (!style.isExpanded) return `{${style.padding}${properties.join(`,${style.comma}`)}${style.padding}}`;
  return `{${indent}${unit}${properties.join(`,${indent}${unit}`)}${indent}}`;
}

/** Writes a key and the text of its value. */
export function propertyText(key: string, value: string, { colon }: JsonStyle): string {
  return `${JSON.stringify(key)}:${colon}${value}`;
}

/** Returns the white space before a property of an object. */
export function gapBefore({ text }: ListFile, { children = [] }: Node, index: number): string {
  const start = children[index]?.offset ?? 0;
  return /\s*$/.exec(text.slice(0, start))?.[0] ?? "";
}

function textAfterColon({ text }: ListFile, { colonOffset = 0, children = [] }: Node): string {
  return text.slice(colonOffset + 1, children[1]?.offset ?? 0);
}

function objectsIn(node: Node | undefined): readonly Node[] {
  if (!node) return [];
  const inner = (node.children ?? []).flatMap(objectsIn);
  return node.type === "object" ? [node, ...inner] : inner;
}
