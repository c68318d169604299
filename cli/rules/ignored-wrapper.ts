import type { PluginRule } from "../lint/rule.ts";
import { creatorsOf, isWrapperType } from "../lists/list.ts";

export const ignoredWrapper: PluginRule = {
  severity: "warning",
  title: "A plain plugin has a wrapper block, which it does not read.",
  page: `Only a wrapper reads the \`wrapper\` block. In a list that names wrappers (\`bridge-wrapper\`), a plain \`portmap\` with
\`"wrapper": { "ifName": "eth1" }\` still publishes on \`eth0\`, and nothing says so. Change the type to
\`portmap-wrapper\`, or delete the block.`,
  findInPlugin({ type, role, isWrapped, configuration }, list) {
    if (!list.plugins.some((plugin) => isWrapperType(plugin.type))) return undefined;
    // One of several creators must be wrapped anyway: another rule says so.
    const isOther = role === "creator" && creatorsOf(list).length > 1;
    if (isWrapped || type === "" || configuration.wrapper === undefined || isOther) return undefined;
    const message = `${type} is not a wrapper, so it does not read this block`;
    return { at: ["wrapper"], isKey: true, message, hint: `Change the type to "${type}-wrapper", or delete the block` };
  },
};
