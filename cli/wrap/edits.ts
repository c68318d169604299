import { applyEdits, findNodeAtLocation, type JSONPath, type Node } from "jsonc-parser";
import { flatText } from "../explain/json-lines.ts";
import type { Edit } from "../lint/rule.ts";
import type { List } from "../lists/list.ts";
import type { ListFile } from "../lists/list-file.ts";
import { Trouble } from "../terminal.ts";
import type { Decisions, Wrapped } from "./decide.ts";

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
function insertAfter(file: ListFile, object: Node, after: string, key: string, value: Flat): Edit {
  const index = indexOf(object, after);
  return {
    offset: endOf(object.children?.[index]),
    length: 0,
    content: `,${gapBefore(file, object, index)}${propertyText(file, key, value)}`,
  };
}

/** Inserts keys at the beginning of an object. */
function insertFirst(file: ListFile, object: Node, value: Flat): Edit {
  const [first] = object.children ?? [];
  if (!first) return { offset: object.offset, length: object.length, content: valueText(file, value) };
  const gap = gapBefore(file, object, 0);
  const properties = Object.entries(value).map(([key, one]) => `${propertyText(file, key, one)},${gap}`);
  return { offset: first.offset, length: 0, content: properties.join("") };
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

/** Returns the text of the wrapped list. Everything that the decisions do not name keeps its bytes. */
export function wrappedText({ file, plugins }: List, decisions: Decisions): string {
  const edits = decisions.plugins.flatMap((wrapped) => {
    const path = plugins[wrapped.index]?.path ?? [];
    return [...typeEdit(file, objectAt(file, path), wrapped), ...blockEdit(file, path, wrapped)];
  });
  return applyEdits(file.text, edits);
}

const suffix = "-wrapper";

/** Gives a plugin another type. If only the suffix of the wrappers comes or goes, the rest keeps its bytes. */
export function typeEdit(
  { text }: ListFile,
  object: Node,
  { type, becomes }: Pick<Wrapped, "type" | "becomes">,
): readonly Edit[] {
  const value = valueIn(object, "type");
  if (!value || type === becomes) return [];
  const end = value.offset + value.length - 1;
  if (becomes === `${type}${suffix}`) return [{ offset: end, length: 0, content: suffix }];
  if (type === `${becomes}${suffix}` && text.slice(0, end).endsWith(suffix))
    return [{ offset: end - suffix.length, length: suffix.length, content: "" }];
  return [{ offset: value.offset, length: value.length, content: JSON.stringify(becomes) }];
}

function blockEdit(file: ListFile, path: JSONPath, { wrapper }: Wrapped): readonly Edit[] {
  if (Object.keys(wrapper).length === 0) return [];
  const object = objectAt(file, path);
  if (!valueIn(object, "wrapper")) return [insertAfter(file, object, "type", "wrapper", wrapper)];
  return [insertFirst(file, objectAt(file, [...path, "wrapper"]), wrapper)];
}

/** Writes a key and its value as the file's author does: with white space after colons and commas, or without. */
function propertyText(file: ListFile, key: string, value: unknown): string {
  return `${JSON.stringify(key)}:${isSpaced(file) ? " " : ""}${valueText(file, value)}`;
}

function valueText(file: ListFile, value: unknown): string {
  return isSpaced(file) ? flatText(value) : JSON.stringify(value);
}

function isSpaced({ text }: ListFile): boolean {
  return /":\s/.test(text);
}

/** Returns the white space before a property that follows another one: a line break with the indentation, or a space. */
function gapBefore(file: ListFile, { children = [] }: Node, index: number): string {
  const before = file.text.slice(0, children[index]?.offset);
  return /\r?\n[^\S\n]*$/.exec(before)?.[0] ?? (isSpaced(file) ? " " : "");
}
