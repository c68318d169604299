import type { PluginRule } from "../lint/rule.ts";

export const uselessJq: PluginRule = {
  severity: "warning",
  title: "wrapper.jq changes nothing.",
  page: `The jq program \`.\` returns its input, so the plugin gets the same configuration as without it. Each call still loads jq,
and the slim flavor, which has no jq, refuses the list. Leave \`jq\` out. See
[a jq program](configuration.md#a-jq-program).`,
  findInPlugin({ isWrapped, wrapper: { jq } }) {
    const program = typeof jq === "string" ? jq.replaceAll(/#.*$/gm, "") : "";
    if (!isWrapped || !/^\s*(?:\.\s*\|\s*)*\.\s*$/.test(program)) return undefined;
    return { at: ["wrapper", "jq"], isKey: true, message: "this jq program returns its input", hint: "Leave jq out" };
  },
};
