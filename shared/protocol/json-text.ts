import { CniError } from "./errors.ts";

/** Writes a part of the configuration as JSON. Code 6 if it is nested too deeply or has a number like 1e400. */
export function jsonText(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch {
    throw new CniError("undecodableInput", "", "it is nested too deeply");
  }
  if (losesNumbers(value, text)) throw new CniError("undecodableInput", "", "it has a number that is too large");
  return text;
}

/** Whether a JSON text of a value has null for a number like 1e400, which JSON.parse turns into infinity. */
export function losesNumbers(value: unknown, text: string): boolean {
  // Nearly no text has null, and then there is nothing to look for.
  return text.includes("null") && hasInfinity(value);
}

// Without recursion, because some hundred levels of it would fill the engine's stack.
function hasInfinity(value: unknown): boolean {
  const left = [value];
  while (left.length > 0) {
    const one = left.pop();
    if (one === Number.POSITIVE_INFINITY || one === Number.NEGATIVE_INFINITY) return true;
    if (typeof one === "object" && one !== null) for (const part of Object.values(one)) left.push(part);
  }
  return false;
}
