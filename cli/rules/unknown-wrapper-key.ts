import { isJsonObject } from "../../shared/protocol/json.ts";
import { logKeys, portsKeys, wrapperKeys } from "../../shared/protocol/shapes.ts";
import { nearest } from "../../shared/protocol/spelling.ts";
import type { Found, ListRule } from "../lint/rule.ts";
import type { List, ListedPlugin } from "../lists/list.ts";
import { keyAt } from "../lists/list-file.ts";

/** A wrapper refuses keys that it does not know. */
export const unknownWrapperKey: ListRule = {
  of: "list",
  code: "unknown-wrapper-key",
  severity: "error",
  title: "The wrapper block has a key that no wrapper knows.",
  page: `A wrapper refuses an unknown key in its block: ADD and CHECK fail with code 7 (\`unknown key wrapper.ifname\`). Letter
case counts. The plugin's own keys, such as \`bridge\` or \`ipam\`, go next to the block. See
[the wrapper block](configuration.md#the-wrapper-block).`,
  find(list) {
    return list.plugins.filter(({ isWrapped }) => isWrapped).flatMap((plugin) => foundIn(list, plugin));
  },
};

const blocks: readonly (readonly [path: readonly string[], known: readonly string[]])[] = [
  [[], wrapperKeys],
  [["ports"], portsKeys],
  [["log"], logKeys],
];

function foundIn({ file }: List, { path, wrapper }: ListedPlugin): readonly Found[] {
  return blocks.flatMap(([inner, known]) => {
    const block = inner[0] === undefined ? wrapper : wrapper[inner[0]];
    const keys = isJsonObject(block) ? Object.keys(block) : [];
    return keys
      .filter((key) => !known.includes(key))
      .map((key) => {
        const place = keyAt(file, [...path, "wrapper", ...inner, key]);
        const name = ["wrapper", ...inner, key].join(".");
        const meant = nearest(key, known);
        const isSame = meant.toLowerCase() === key.toLowerCase();
        const hint = isSame
          ? `Write "${meant}"`
          : `The keys are ${known.join(", ")}. The plugin's own keys go next to the block`;
        return {
          place,
          message: `${name} is unknown`,
          hint,
          ...(isSame && { fix: [{ ...place, content: `"${meant}"` }] }),
        };
      });
  });
}
