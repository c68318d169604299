import type { JSONPath } from "jsonc-parser";
import type * as z from "zod";
import { keysVersion, laterKeys, pluginKeys } from "../../plugins/keys.ts";
import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import { misplacedKeys } from "../../shared/protocol/request.ts";
import { pathWords } from "../../shared/protocol/shapes.ts";
import { near } from "../../shared/protocol/spelling.ts";
import type { PluginFolder } from "../host/read-plugin-folder.ts";
import type { FoundAt, ListRule } from "../lint/rule.ts";
import { installedVersion, isNewer, isOlder } from "../lists/installed.ts";
import type { List, ListedPlugin } from "../lists/list.ts";
import { nameIn, shapeOf, type UnknownKey, unknownKeysOf } from "../schema/go-view.ts";
import { listKeys } from "../schema/list.ts";
import { schemasOf } from "../schema/plugin.ts";

export const unknownKey: ListRule = {
  severity: "warning",
  title: "A plugin or the runtime does not know a key, and ignores it.",
  page: `The list works as if the key were not there. The case of letters does not matter in a plugin's keys. It matters in
the list's own keys. Keys of unknown plugins are not checked, and keys that are clearly comments (\`_comment\`) are left
alone. A later version of a plugin may have more keys: with \`--cni-path\`, lint asks the plugin for its version.`,
  findInList(list, { plugins }) {
    const inPlugins = list.plugins.flatMap((plugin) => [
      ...unknownInPlugin(list, plugin, plugins),
      ...prevResultIn(plugin.configuration, plugin.path),
      ...laterInPlugin(plugin, plugins),
    ]);
    return [...unknownInList(list), ...(list.hasPlugins ? prevResultIn(list.value, []) : []), ...inPlugins];
  },
};

/** libcni replaces it from the second plugin on. The first one would take it for the result of a plugin before it. */
function prevResultIn(value: JsonObject, path: JSONPath): readonly FoundAt[] {
  if (!Object.hasOwn(value, "prevResult")) return [];
  const message = "prevResult is the runtime's to set, and belongs in no list";
  return [{ at: [...path, "prevResult"], isKey: true, message, hint: "Delete it" }];
}

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

function unknownInPlugin({ hasPlugins }: List, plugin: ListedPlugin, plugins?: PluginFolder): readonly FoundAt[] {
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
  return unknown.flatMap((found) => {
    const owner = ownerOf(found, plugin);
    const isOther = meantBy(found) === undefined;
    const version = owner === delegate ? installedVersion(plugin, plugins) : plugins?.find(owner)?.version;
    if (isOther && version !== undefined && isNewer(version, keysVersion)) return [];
    const message = `${owner} ignores the key ${pathWords("", found.path)}`;
    return [{ at: [...path, ...found.path], isKey: true, message, hint: hintOf(found, delegate, common) }];
  });
}

/** The keys that only later versions of a plugin know than the one in `--cni-path`. */
function laterInPlugin(plugin: ListedPlugin, plugins: PluginFolder | undefined): readonly FoundAt[] {
  const { configuration, path, delegate } = plugin;
  const later = Object.entries((Object.hasOwn(laterKeys, delegate) && laterKeys[delegate]) || {});
  const version = later.length === 0 ? undefined : installedVersion(plugin, plugins);
  return Object.keys(configuration).flatMap((key) => {
    const [, since] = later.find(([name]) => name.toLowerCase() === key.toLowerCase()) ?? [];
    if (version === undefined || since === undefined || !isOlder(version, since)) return [];
    const message = `${delegate} ${version} ignores the key ${key}`;
    return {
      at: [...path, key],
      isKey: true,
      message,
      hint: `Install ${delegate} ${since} or later, or delete the key`,
    };
  });
}

function ownerOf({ path: [first, second] }: UnknownKey, { configuration, delegate }: ListedPlugin): string {
  const ipam = configuration[String(first)];
  const isInIpam = String(first).toLowerCase() === "ipam" && second !== undefined && isJsonObject(ipam);
  return isInIpam ? String(ipam.type) : delegate;
}

/** The keys of every plugin that the runtime does not set. */
const commonNames: readonly string[] = ["type", "capabilities", "dns", "args", "ipam"];

function meantBy({ path, key, known }: UnknownKey): string | undefined {
  return near(key, known) ?? (path.length === 1 ? near(key, commonNames) : undefined);
}

function hintOf(found: UnknownKey, delegate: string, common: z.ZodObject): string {
  const { path, key, known } = found;
  const meant = meantBy(found);
  if (meant !== undefined) return `The nearest key is ${meant}`;
  const elsewhere = path.length > 1 && nameIn(pluginKeys[delegate as keyof typeof pluginKeys].shape, key);
  if (elsewhere) return `Move it out of ${path[0]}: ${delegate} has this key`;
  if (path.length === 1 && nameIn(shapeOf(common.shape.ipam) ?? {}, key)) return "Move it into ipam";
  if (Object.hasOwn(listKeys.shape, key)) return "Move it to the top of the list";
  return `Delete it, or look for the right name: ${known.join(", ")}`;
}
