import type { Rule } from "../lint/rule.ts";
import * as all from "./all.ts";

/** All rules of `lint`, sorted by their codes. */
export const rules = Object.entries(all).map(([name, rule]): Rule => {
  return { code: codeOf(name), severity: "error", ...rule };
});

/** The code of a rule: `duplicateKey` has the code duplicate-key. */
function codeOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
