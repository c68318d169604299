import { CniError } from "./errors.ts";

/** Writes a part of the configuration as JSON. Code 6 if it is nested too deeply. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    throw new CniError("undecodableInput", "", "it is nested too deeply");
  }
}
