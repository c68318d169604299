import type { Node } from "jsonc-parser";
import type { FileRule, Found } from "../lint/rule.ts";

/** JSON parsers take the last one of two equal keys and say nothing. */
export const duplicateKey: FileRule = {
  of: "file",
  code: "duplicate-key",
  severity: "warning",
  title: "An object has a key twice.",
  page: "Runtimes take the last one and ignore the others. The mark is at the ignored one.",
  find({ tree, errors, text }) {
    return tree && errors.length === 0 ? foundIn(tree, text) : [];
  },
};

function foundIn(node: Node, text: string): readonly Found[] {
  const properties = node.type === "object" ? (node.children ?? []) : [];
  const keys = properties.flatMap(({ children }) => children?.[0] ?? []);
  const last = new Map(keys.map((key) => [key.value, key]));
  const ignored = keys.filter((key) => last.get(key.value) !== key);
  const found = ignored.map(({ value, offset, length }) => {
    const line = text.slice(0, last.get(value)?.offset).split("\n").length;
    const message = `the key ${value} is ignored, because line ${line} has it again`;
    return { place: { offset, length }, message, hint: "Delete one of them" };
  });
  return [...found, ...(node.children ?? []).flatMap((child) => foundIn(child, text))];
}
