import { misplacedKeys } from "../../shared/call/misplaced.ts";
import { entryOf } from "../../shared/protocol/catalogue.ts";
import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import type { Found, ListRule } from "../lint/rule.ts";
import type { List, ListedPlugin } from "../lists/list.ts";
import { keyAt } from "../lists/list-file.ts";

/** A wrapper refuses its own keys in places where it would ignore them. */
export const misplacedKey: ListRule = {
  of: "list",
  code: "misplaced-key",
  severity: "error",
  title: "A key of the wrapper is not in the wrapper block.",
  page: `A wrapper reads its keys only in a block called \`wrapper\`, at the top level of the plugin's configuration. If a key
such as \`ifName\` is next to the block, if the block has another name, or if it is inside \`ipam\`, ADD fails with code 7
(\`misplaced key ifName\`).`,
  find(list) {
    return list.plugins.filter(({ isWrapped }) => isWrapped).flatMap((plugin) => foundIn(list, plugin));
  },
};

function foundIn({ file }: List, { path, profile, configuration }: ListedPlugin): readonly Found[] {
  const places = Object.entries(configuration).flatMap(([key, value]) => partsOf(key, value));
  return places.flatMap(([inner, part]) =>
    misplacedKeys(part, profile !== undefined).map(({ details }) => ({
      place: keyAt(file, [...path, ...inner]),
      message: `${inner.join(".")} is misplaced, and the wrapper would not read it`,
      hint: details.replace(`. ${entryOf("misplacedKey").hint}`, ""),
    })),
  );
}

/** Divides a configuration, so that each part has one key that can be misplaced. */
function partsOf(key: string, value: unknown): readonly (readonly [path: readonly string[], part: JsonObject])[] {
  if (key.toLowerCase() !== "ipam" || !isJsonObject(value)) return [[[key], { [key]: value }]];
  return Object.entries(value).map(([inner, content]) => [[key, inner], { [key]: { [inner]: content } }]);
}
