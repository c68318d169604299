import { type ErrorKey, entryOf } from "./catalogue.ts";
import type { JsonObject } from "./json.ts";
import { newestVersion } from "./versions.ts";

/** An error that the wrapper itself reports: an entry of the catalogue and its subject. */
export class CniError extends Error {
  readonly key: ErrorKey;
  readonly code: number;
  details: string;

  /** `subject` goes into the message, `what` into the details before the hint. */
  constructor(key: ErrorKey, subject: string, what = "") {
    const { code, msg, hint } = entryOf(key);
    super(msg.replace("%s", () => subject));
    this.key = key;
    this.code = code;
    this.details = what === "" ? hint : `${what}. ${hint}`;
  }

  /** Adds a sentence to the details. Returns the same error. */
  addDetail(sentence: string): this {
    this.details = `${this.details} ${sentence}`;
    return this;
  }
}

/** Returns the error result that a runtime reads from stdout (SPEC.md, section 5 "Error"). */
export function errorResult(error: CniError, cniVersion?: string): JsonObject {
  return { cniVersion: cniVersion || newestVersion, code: error.code, msg: error.message, details: error.details };
}

/** Turns anything that was thrown into an error of the catalogue, so that no stack trace reaches a runtime. */
export function toCniError(thrown: unknown): CniError {
  if (thrown instanceof CniError) return thrown;
  const words = String(thrown);
  // go-cni's Remove ignores errors with these words, and Node uses them for ENOENT.
  return new CniError("internal", "", words.replace(/no such file or directory|no such file|not found/gi, "missing"));
}
