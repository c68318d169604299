import { isJsonObject } from "./json.ts";

/** How many levels of brackets are plain. An engine writes at least a thousand, and a valid result has five. */
const levelsLimit = 500;

/** Whether a prevResult is missing, or an object that can be written as JSON again for any plugin. */
export function isPlain(prevResult: unknown): boolean {
  if (prevResult === undefined || prevResult === null) return true;
  if (!isJsonObject(prevResult)) return false;
  // Without recursion, because it would end where the stack does.
  let level: object[] = [prevResult];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === levelsLimit) return false;
    const inner: object[] = [];
    for (const one of level) {
      for (const part of Object.values(one)) {
        // Most are texts. JSON.parse makes infinity of a number like 1e400.
        if (typeof part === "string") continue;
        if (typeof part === "object" && part !== null) inner.push(part);
        else if (part === Number.POSITIVE_INFINITY || part === Number.NEGATIVE_INFINITY) return false;
      }
    }
    level = inner;
  }
  return true;
}

/** Returns the text of a configuration with 0 as prevResult if it has one. The engine need not be able to parse it. */
export function textWithoutPrevResult(text: string): string {
  let rest = "";
  let [from, level] = [0, 0];
  /** Where the text began in which the next sign is. */
  let opened: number | undefined;
  let lastText: string | undefined;
  /** The value of the object's last key. */
  let value: { readonly key: string | undefined; readonly start: number } | undefined;
  const signs = /[\\"[\]{}:,]/g;
  for (let found = signs.exec(text); found !== null; found = signs.exec(text)) {
    const { 0: sign, index } = found;
    if (opened !== undefined) {
      if (sign === "\\") signs.lastIndex++;
      if (sign !== '"') continue;
      lastText = text.slice(opened, index);
      opened = undefined;
    } else if (sign === '"') opened = index + 1;
    else if (sign === "[" || sign === "{") level++;
    else if (sign === ":") {
      if (level === 1) value = { key: lastText, start: index + 1 };
    } else {
      if (level === 1 && value?.key === "prevResult") {
        rest += `${text.slice(from, value.start)}0`;
        from = index;
      }
      if (sign !== ",") level--;
    }
  }
  return rest + text.slice(from);
}
