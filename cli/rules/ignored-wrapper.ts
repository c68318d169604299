import type { PluginRule } from "../lint/rule.ts";
import { creatorsOf } from "../lists/chain.ts";
import { isWrapperType } from "../lists/list.ts";
import { valueAt } from "../lists/list-file.ts";

/** Only a wrapper reads the block. */
export const ignoredWrapper: PluginRule = {
  of: "plugin",
  code: "ignored-wrapper",
  severity: "warning",
  title: "A plain plugin has a wrapper block, which it does not read.",
  page: `Only a wrapper reads the \`wrapper\` block. In a list that names wrappers (\`bridge-wrapper\`), a plain \`portmap\` with
\`"wrapper": { "ifName": "eth1" }\` still publishes on \`eth0\`, and nothing says so. Change the type to
\`portmap-wrapper\`, or delete the block.`,
  find({ path, type, role, isWrapped, profile, configuration }, list) {
    if (!list.plugins.some((plugin) => isWrapperType(plugin.type))) return undefined;
    // One of several creators must be wrapped anyway: another rule says so.
    const isOther = role === "creator" && creatorsOf(list).length > 1;
    if (isWrapped || type === "" || configuration.wrapper === undefined || isOther) return undefined;
    const content = `"${type}-wrapper"`;
    return {
      ...{ at: ["wrapper"], isKey: true, message: `${type} is not a wrapper, so it does not read this block` },
      hint: `Change the type to ${content}, or delete the block`,
      ...(profile && { fix: [{ ...valueAt(list.file, [...path, "type"]), content }] }),
    };
  },
};
