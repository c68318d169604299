import type { Node } from "jsonc-parser";
import type { FileRule, Found } from "../lint/rule.ts";
import { type ListFile, positionOf } from "../lists/list-file.ts";

export const duplicateKey: FileRule = {
  severity: "warning",
  title: "An object has a key twice.",
  page: "Runtimes take the last one and ignore the others. The mark is at the ignored one.",
  findInFile(file) {
    return file.tree && file.errors.length === 0 ? foundIn(file.tree, file) : [];
  },
};

function foundIn(node: Node, file: ListFile): readonly Found[] {
  const properties = node.type === "object" ? (node.children ?? []) : [];
  const keys = properties.flatMap(({ children }) => children?.[0] ?? []);
  const last = new Map(keys.map((key) => [key.value, key]));
  const ignored = keys.filter((key) => last.get(key.value) !== key);
  const found = ignored.map(({ value, offset, length }) => {
    const { line } = positionOf(file, last.get(value)?.offset ?? 0);
    const message = `the key ${value} is ignored, because line ${line} has it again`;
    return { place: { offset, length }, message, hint: "Delete one of them" };
  });
  return [...found, ...(node.children ?? []).flatMap((child) => foundIn(child, file))];
}
