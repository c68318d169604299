import type { ListRule } from "../lint/rule.ts";
import { keyAt } from "../lists/list-file.ts";

/** A program that returns its input costs time and changes nothing. */
export const uselessJq: ListRule = {
  of: "list",
  code: "useless-jq",
  severity: "warning",
  title: "wrapper.jq changes nothing.",
  page: `The jq program \`.\` returns its input, so the plugin gets the same configuration as without it. Each call still loads jq,
and the slim flavor, which has no jq, refuses the list. Leave \`jq\` out. See
[a jq program](configuration.md#a-jq-program).`,
  find({ file, plugins }) {
    const useless = plugins.filter(
      ({ isWrapped, wrapper: { jq } }) => isWrapped && typeof jq === "string" && isIdentity(jq),
    );
    return useless.map(({ path }) => ({
      place: keyAt(file, [...path, "wrapper", "jq"]),
      message: "this jq program returns its input",
      hint: "Leave jq out",
    }));
  },
};

function isIdentity(program: string): boolean {
  return /^\s*(?:\.\s*\|\s*)*\.\s*$/.test(program.replaceAll(/#.*$/gm, ""));
}
