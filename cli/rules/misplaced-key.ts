import { catalogue } from "../../shared/protocol/errors.ts";
import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import { misplacedKeys } from "../../shared/protocol/request.ts";
import type { PluginRule } from "../lint/rule.ts";

export const misplacedKey: PluginRule = {
  title: "A key of the wrapper is not in the wrapper block.",
  page: `A wrapper reads its keys only in a block called \`wrapper\`, at the top level of the plugin's configuration. If a key
such as \`ifName\` is next to the block, if the block has another name, or if it is inside \`ipam\`, ADD fails with code 7
(\`misplaced key ifName\`).`,
  findInPlugin({ isWrapped, profile, configuration }) {
    const places = isWrapped ? Object.entries(configuration).flatMap(([key, value]) => partsOf(key, value)) : [];
    return places.flatMap(([at, part]) =>
      misplacedKeys(part, profile !== undefined).map(({ details }) => ({
        at,
        isKey: true,
        message: `${at.join(".")} is misplaced, and the wrapper would not read it`,
        hint: details.replace(`. ${catalogue.misplacedKey.hint}`, ""),
      })),
    );
  },
};

/** Divides a configuration, so that each part has one key that can be misplaced. */
function partsOf(key: string, value: unknown): readonly (readonly [path: string[], part: JsonObject])[] {
  if (key.toLowerCase() !== "ipam" || !isJsonObject(value)) return [[[key], { [key]: value }]];
  return Object.entries(value).map(([inner, content]) => [[key, inner], { [key]: { [inner]: content } }]);
}
