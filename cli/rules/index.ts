import type { Rule } from "../lint/rule.ts";
import * as all from "./all.ts";

/** All rules of `lint`, sorted by their codes. */
export const rules: readonly Rule[] = Object.entries(all).map(([name, rule]) => ({ code: codeOf(name), ...rule }));

/** The code of a rule: `duplicateKey` has the code duplicate-key. */
function codeOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
