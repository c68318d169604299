import { nearest } from "../../shared/protocol/spelling.ts";
import { rules } from "../rules/index.ts";
import { Trouble } from "../terminal.ts";
import type { Rule } from "./rule.ts";

/** Returns the rule of a code. Throws Trouble if there is none. */
export function ruleNamed(code: string): Rule {
  const rule = rules.find((candidate) => candidate.code === code);
  if (rule) return rule;
  throw new Trouble(noRule(code));
}

/** Says that there is no rule of this code, and names the nearest one. */
export function noRule(code: string): string {
  const codes = rules.map((rule) => rule.code);
  return `there is no rule ${code}; the nearest one is ${nearest(code, codes)}`;
}

/** A rule's section of docs/lint.md for a terminal: a host has no pages, so links to them are only their words. */
export function explainRule({ code, severity, title, page }: Rule): string {
  const words = page.replaceAll(/\[([^\]]+)\]\((https:[^)]+)?[^)]*\)/g, (_, text, address) => {
    return address === undefined ? text : `${text} (${address})`;
  });
  return `${code} (${severity}): ${title}\n\n${words}\n`;
}
