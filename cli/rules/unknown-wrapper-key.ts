import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import { innerKeys, wrapperKeys } from "../../shared/protocol/shapes.ts";
import { nearest } from "../../shared/protocol/spelling.ts";
import type { FoundAt, PluginRule } from "../lint/rule.ts";

export const unknownWrapperKey: PluginRule = {
  title: "The wrapper block has a key that no wrapper knows.",
  page: `A wrapper refuses an unknown key in its block: ADD and CHECK fail with code 7 (\`unknown key wrapper.ifname\`). Letter
case counts. The plugin's own keys, such as \`bridge\` or \`ipam\`, go next to the block. See
[the wrapper block](configuration.md#the-wrapper-block).`,
  findInPlugin({ isWrapped, wrapper }) {
    return isWrapped ? blocks.flatMap(([inner, known]) => foundIn(wrapper, inner, known)) : [];
  },
};

const blocks: readonly (readonly [path: readonly string[], known: readonly string[]])[] = [
  [[], wrapperKeys],
  ...Object.entries(innerKeys).map(([key, known]) => [[key], known] as const),
];

function foundIn(wrapper: JsonObject, inner: readonly string[], known: readonly string[]): readonly FoundAt[] {
  const block = inner[0] === undefined ? wrapper : wrapper[inner[0]];
  const keys = isJsonObject(block) ? Object.keys(block) : [];
  const unknown = keys.filter((key) => !known.includes(key));
  return unknown.map((key) => {
    const at = ["wrapper", ...inner, key];
    const meant = nearest(key, known);
    const found = { at, isKey: true, message: `${at.join(".")} is unknown` };
    if (meant.toLowerCase() === key.toLowerCase()) return { ...found, hint: `Write "${meant}"`, instead: `"${meant}"` };
    return { ...found, hint: `The keys are ${known.join(", ")}. The plugin's own keys go next to the block` };
  });
}
