import { delegateName } from "../../shared/call/call.ts";
import type { PluginRule } from "../lint/rule.ts";

export const unnamedDelegate: PluginRule = {
  title: "A wrapper does not know which plugin to run.",
  page: `The name of a wrapper says which plugin it runs: \`bridge-wrapper\` runs \`bridge\`. \`cni-wrappers\` is the executable
behind all of these names, and names no plugin. ADD fails with code 7 (\`no delegate\`). Use the plugin's own wrapper, or set
\`"delegate"\` in the \`wrapper\` block.`,
  findInPlugin({ type, isWrapped, wrapper }) {
    if (!isWrapped || delegateName(type) !== undefined || wrapper.delegate !== undefined) return undefined;
    const hint = 'Write the plugin\'s wrapper, such as "bridge-wrapper", or set wrapper.delegate';
    return { at: ["type"], message: `${type} does not say which plugin to run`, hint };
  },
};
