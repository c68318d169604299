import { isJsonObject } from "../../shared/protocol/json.ts";

/** Lists whose entries have a line each, so that one of them can change alone. */
const lists = ["interfaces", "ips", "routes", "portMappings", "cni.dev/attachments", "cni.dev/valid-attachments"];
const open = ["prevResult", "runtimeConfig", ...lists];

/** An entry of these lists may be longer than a line. In characters. */
const longestEntry = 120;

/** Writes a JSON value for people: what fits into `width` characters is in one line. */
export function jsonLines(value: unknown, width: number): string[] {
  return linesOf(value, width, true);
}

function linesOf(value: unknown, width: number, isOpen: boolean): string[] {
  const flat = flatText(value);
  const children = childrenOf(value);
  if (children.length === 0 || (!isOpen && flat.length <= width)) return [flat];
  const last = children.length - 1;
  const inner = children.flatMap(([name, child], index) => {
    const label = name === undefined ? "" : `${JSON.stringify(name)}: `;
    const isEntry = Array.isArray(value) && isOpen;
    const room = isEntry ? longestEntry : width - 2 - label.length;
    const lines = linesOf(child, room, name !== undefined && open.includes(name));
    const comma = index === last ? "" : ",";
    return lines.map((line, i) => `  ${i === 0 ? label : ""}${line}${i === lines.length - 1 ? comma : ""}`);
  });
  return Array.isArray(value) ? ["[", ...inner, "]"] : ["{", ...inner, "}"];
}

function childrenOf(value: unknown): (readonly [string | undefined, unknown])[] {
  if (Array.isArray(value)) return value.map((child) => [undefined, child]);
  return isJsonObject(value) ? Object.entries(value) : [];
}

/** Writes a JSON value in one line. */
export function flatText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[${value.map(flatText).join(", ")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? "null";
  const pairs = Object.entries(value).map(([key, child]) => `${JSON.stringify(key)}: ${flatText(child)}`);
  return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
}
