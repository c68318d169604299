import type { ListRule } from "../lint/rule.ts";
import { creatorsOf } from "../lists/chain.ts";
import { isWrapperType } from "../lists/list.ts";
import { keyAt, valueAt } from "../lists/list-file.ts";

/** Only a wrapper reads the block. */
export const ignoredWrapper: ListRule = {
  of: "list",
  code: "ignored-wrapper",
  severity: "warning",
  title: "A plain plugin has a wrapper block, which it does not read.",
  page: `Only a wrapper reads the \`wrapper\` block. In a list that names wrappers (\`bridge-wrapper\`), a plain \`portmap\` with
\`"wrapper": { "ifName": "eth1" }\` still publishes on \`eth0\`, and nothing says so. Change the type to
\`portmap-wrapper\`, or delete the block.`,
  find(list) {
    if (!list.plugins.some(({ type }) => isWrapperType(type))) return [];
    const isOne = creatorsOf(list).length < 2;
    return list.plugins.flatMap(({ path, type, role, isWrapped, profile, configuration }) => {
      // One of several creators must be wrapped anyway: another rule says so.
      if (isWrapped || type === "" || configuration.wrapper === undefined || (role === "creator" && !isOne)) return [];
      const content = `"${type}-wrapper"`;
      return [
        {
          place: keyAt(list.file, [...path, "wrapper"]),
          message: `${type} is not a wrapper, so it does not read this block`,
          hint: `Change the type to ${content}, or delete the block`,
          ...(profile && { fix: [{ ...valueAt(list.file, [...path, "type"]), content }] }),
        },
      ];
    });
  },
};
