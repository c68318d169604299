import { applyEdits, findNodeAtLocation, type JSONPath, type Node } from "jsonc-parser";
import type { Edit } from "../lint/rule.ts";
import type { List } from "../lists/list.ts";
import type { ListFile } from "../lists/list-file.ts";
import { Trouble } from "../trouble.ts";
import type { Decisions, Wrapped } from "./decisions.ts";

type Flat = Readonly<Record<string, unknown>>;

/** Returns the object at a path. Throws Trouble if one of its keys is there twice: readers disagree about which one counts. */
export function objectAt(file: ListFile, path: JSONPath): Node {
  const node = file.tree && findNodeAtLocation(file.tree, path);
  if (node?.type !== "object") throw new Trouble(`${file.path}: ${path.join(".")} is not an object`);
  const keys = (node.children ?? []).map(({ children }) => children?.[0]?.value);
  const twice = keys.find((key, index) => keys.indexOf(key) < index);
  if (twice !== undefined) throw new Trouble(`${file.path}: ${path.join(".")} has the key "${twice}" twice`);
  return node;
}

/** Returns the value of a key of an object. */
export function valueIn(object: Node, key: string): Node | undefined {
  return object.children?.[indexOf(object, key)]?.children?.[1];
}

/** Inserts an object under a new key, right after another key. `removal` gives the old text back, byte for byte. */
function insertAfter(file: ListFile, object: Node, after: string, key: string, value: Flat, style: JsonStyle): Edit {
  const index = indexOf(object, after);
  const gap = gapBefore(file, object, index);
  const indent = lastLine(gap);
  const before = indent === "" ? style.comma : indent;
  const text = objectText(value, style, indent, unitOf(file, object, indent));
  return { offset: endOf(object.children?.[index]), length: 0, content: `,${before}${propertyText(key, text, style)}` };
}

/** Inserts keys at the beginning of an object. */
function insertFirst(file: ListFile, object: Node, value: Flat, style: JsonStyle): Edit {
  const [first] = object.children ?? [];
  if (!first)
    return {
      offset: object.offset,
      length: object.length,
      content: objectText(value, { ...style, isExpanded: false }, "", ""),
    };
  const indent = lastLine(gapBefore(file, object, 0));
  const properties = Object.entries(value).map(([key, one]) => propertyText(key, JSON.stringify(one), style));
  const content = properties.map((property) => `${property},${indent === "" ? style.comma : indent}`).join("");
  return { offset: first.offset, length: 0, content };
}

/** Removes a key with its value and the comma that it no longer needs. */
export function removal(object: Node, key: string): Edit {
  const { children = [] } = object;
  const index = indexOf(object, key);
  const start = index > 0 ? endOf(children[index - 1]) : (children[0]?.offset ?? 0);
  const end = index === 0 && children[1] ? children[1].offset : endOf(children[index]);
  return { offset: start, length: end - start, content: "" };
}

function indexOf({ children = [] }: Node, key: string): number {
  return children.findIndex(({ children: [name] = [] }) => name?.value === key);
}

function endOf(node: Node | undefined): number {
  return node ? node.offset + node.length : 0;
}

/** A line break and the indentation after it; empty if the gap has no line break. */
function lastLine(gap: string): string {
  return /\r?\n[^\n]*$/.exec(gap)?.[0] ?? "";
}

/** One step of indentation: a key's, less that of its object's closing brace. */
function unitOf({ text }: ListFile, object: Node, indent: string): string {
  const outer = lastLine(/\s*$/.exec(text.slice(0, endOf(object) - 1))?.[0] ?? "");
  return outer !== "" && indent.startsWith(outer) && indent !== outer ? indent.slice(outer.length) : "  ";
}

/** Returns the text of the wrapped list. Everything that the decisions do not name keeps its bytes. */
export function wrappedText({ file, plugins }: List, decisions: Decisions): string {
  const nodes = plugins.flatMap(({ path }) => (file.tree && findNodeAtLocation(file.tree, path)) ?? []);
  const style = styleOf(file, nodes);
  const edits = decisions.plugins.flatMap((wrapped) => {
    const path = plugins[wrapped.index]?.path ?? [];
    return [...typeEdit(file, path, wrapped), ...blockEdit(file, path, wrapped, style)];
  });
  return applyEdits(file.text, edits);
}

type Path = List["plugins"][number]["path"];

function typeEdit(file: ListFile, path: Path, { type, becomes }: Wrapped): readonly Edit[] {
  const value = valueIn(objectAt(file, path), "type");
  if (!value || type === becomes) return [];
  return [{ offset: value.offset + value.length - 1, length: 0, content: becomes.slice(type.length) }];
}

function blockEdit(file: ListFile, path: Path, { wrapper }: Wrapped, style: JsonStyle): readonly Edit[] {
  if (Object.keys(wrapper).length === 0) return [];
  const object = objectAt(file, path);
  if (!valueIn(object, "wrapper")) return [insertAfter(file, object, "type", "wrapper", wrapper, style)];
  return [insertFirst(file, objectAt(file, [...path, "wrapper"]), wrapper, style)];
}

/** How a file's author writes JSON. */
interface JsonStyle {
  /** The text after a colon, and after a comma within a line. */
  readonly colon: string;
  readonly comma: string;
  /** The text within the braces of an object that is on one line. */
  readonly padding: string;
  /** Whether even small objects have a line for each key. */
  readonly isExpanded: boolean;
}

/** Finds the style of a file. `plugins` are the objects that a list usually spreads over several lines. */
function styleOf(file: ListFile, plugins: readonly Node[]): JsonStyle {
  const objects = objectsIn(file.tree).filter(({ children }) => children?.length);
  const short = objects.find((object) => !gapBefore(file, object, 0).includes("\n"));
  const properties = objects.flatMap(({ children = [] }) => children);
  const isSpaced = properties.some((property) => textAfterColon(file, property) !== "");
  const isExpanded = !short && objects.some((object) => object !== file.tree && !plugins.includes(object));
  const space = isSpaced ? " " : "";
  return { colon: space, comma: space, padding: short ? gapBefore(file, short, 0) : space, isExpanded };
}

/** Writes a flat object as the file's author would. `indent` is the indentation of its key, `unit` one more step. */
function objectText(value: Readonly<Record<string, unknown>>, style: JsonStyle, indent: string, unit: string) {
  const properties = Object.entries(value).map(([key, one]) => propertyText(key, JSON.stringify(one), style));
  if (!style.isExpanded) return `{${style.padding}${properties.join(`,${style.comma}`)}${style.padding}}`;
  return `{${indent}${unit}${properties.join(`,${indent}${unit}`)}${indent}}`;
}

/** Writes a key and the text of its value. */
function propertyText(key: string, value: string, { colon }: JsonStyle): string {
  return `${JSON.stringify(key)}:${colon}${value}`;
}

/** Returns the white space before a property of an object. */
function gapBefore({ text }: ListFile, { children = [] }: Node, index: number): string {
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
