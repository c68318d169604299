import type * as z from "zod";
import { pluginKeys } from "../../plugins/keys.ts";
import { isJsonObject } from "../../shared/protocol/json.ts";
import { misplacedKeys } from "../../shared/protocol/request.ts";
import { pathWords } from "../../shared/protocol/shapes.ts";
import { editDistance, nearest } from "../../shared/protocol/spelling.ts";
import type { FoundAt, ListRule } from "../lint/rule.ts";
import type { List, ListedPlugin } from "../lists/list.ts";
import { schemasOf } from "../schema/common.ts";
import { nameIn, shapeOf, type UnknownKey, unknownKeysOf } from "../schema/go-view.ts";
import { listKeys } from "../schema/list.ts";

/** Go ignores a key that it does not know, so a misspelled one has no effect and no message. */
export const unknownKey: ListRule = {
  of: "list",
  code: "unknown-key",
  severity: "warning",
  title: "A plugin or the runtime does not know a key, and ignores it.",
  page: `The list works as if the key were not there. The case of letters does not matter in a plugin's keys. It matters in
the list's own keys. Keys of unknown plugins are not checked, and keys that are clearly comments (\`_comment\`) are left
alone.`,
  find(list) {
    return [...unknownInList(list), ...list.plugins.flatMap((plugin) => unknownInPlugin(list, plugin))];
  },
};

/** The keys of a plugin that people put next to `plugins`. podman writes `args` there for itself. */
const ofPlugins: readonly string[] = ["wrapper", "ipam", "dns", "capabilities"];

/** The runtime's list may have keys of other tools. Only a misspelled or misplaced key is a mistake. */
function unknownInList({ value, hasPlugins }: List): readonly FoundAt[] {
  if (!hasPlugins) return [];
  const known = Object.keys(listKeys.shape);
  return Object.keys(value).flatMap((key) => {
    if (known.includes(key)) return [];
    const meant = near(key, known);
    if (meant === undefined && !ofPlugins.includes(key)) return [];
    const hint = meant === undefined ? "Move it into a plugin's configuration" : `The nearest key is ${meant}`;
    return [{ at: [key], isKey: true, message: `the runtime ignores the key ${key} of the list`, hint }];
  });
}

function unknownInPlugin({ hasPlugins }: List, plugin: ListedPlugin): readonly FoundAt[] {
  const { configuration, path, delegate, profile, isWrapped } = plugin;
  const { common, own } = schemasOf(plugin);
  if (!own) return [];
  const unknown = unknownKeysOf(configuration, [common, own]).filter(({ path: [first], key }) => {
    if (first === "wrapper" || (!hasPlugins && Object.hasOwn(listKeys.shape, key))) return false;
    // ADD fails for these: that is another rule's.
    return (
      !isWrapped || misplacedKeys({ [String(first)]: configuration[String(first)] }, profile !== undefined).length === 0
    );
  });
  return unknown.map((found) => {
    const message = `${ownerOf(found, plugin)} ignores the key ${pathWords("", found.path)}`;
    return { at: [...path, ...found.path], isKey: true, message, hint: hintOf(found, delegate, common) };
  });
}

function ownerOf({ path: [first, second] }: UnknownKey, { configuration, delegate }: ListedPlugin): string {
  const ipam = configuration[String(first)];
  const isInIpam = String(first).toLowerCase() === "ipam" && second !== undefined && isJsonObject(ipam);
  return isInIpam ? String(ipam.type) : delegate;
}

function hintOf({ path, key, known }: UnknownKey, delegate: string, common: z.ZodObject): string {
  const meant = near(key, known);
  if (meant !== undefined) return `The nearest key is ${meant}`;
  const elsewhere = path.length > 1 && nameIn(pluginKeys[delegate as keyof typeof pluginKeys].shape, key);
  if (elsewhere) return `Move it out of ${path[0]}: ${delegate} has this key`;
  if (path.length === 1 && nameIn(shapeOf(common.shape.ipam) ?? {}, key)) return "Move it into ipam";
  if (Object.hasOwn(listKeys.shape, key)) return "Move it to the top of the list";
  return `Delete it, or look for the right name: ${known.join(", ")}`;
}

/** Returns the known key that a misspelled one probably means. */
function near(key: string, known: readonly string[]): string | undefined {
  const candidate = nearest(key, known);
  const distance = editDistance(key.toLowerCase(), candidate.toLowerCase());
  return distance <= Math.min(3, Math.floor(candidate.length / 3)) ? candidate : undefined;
}
