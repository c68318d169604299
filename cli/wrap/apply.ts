import { applyEdits, findNodeAtLocation } from "jsonc-parser";
import type { Edit } from "../lint/rule.ts";
import type { List } from "../lists/list.ts";
import type { ListFile } from "../lists/list-file.ts";
import type { Decisions, Wrapped } from "./decisions.ts";
import { insertAfter, insertFirst, objectAt, valueIn } from "./edits.ts";
import { type JsonStyle, styleOf } from "./json-style.ts";

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
