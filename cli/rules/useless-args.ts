import { isJsonObject } from "../../shared/protocol/json.ts";
import { isArgs } from "../../shared/protocol/options.ts";
import type { PluginRule } from "../lint/rule.ts";
import { ipamTypeOf } from "../lists/ipam.ts";
import { isRewritten, type ListedPlugin } from "../lists/list.ts";

export const uselessArgs: PluginRule = {
  severity: "warning",
  title: "wrapper.args has no effect.",
  page: `\`args\` decides which requests of CNI_ARGS reach the plugin. \`"keep"\` changes nothing for an interface that is not
renamed, because it gets all requests anyway. In an object, the left side is the plugin's key. The reference plugins know
\`IP\` (host-local and static), \`GATEWAY\` (static) and \`MAC\` (bridge, macvlan, tap and tuning), in capitals. They ignore or
refuse any other key. See [addresses chosen by a job](configuration.md#addresses-chosen-by-a-job).`,
  findInPlugin(plugin) {
    const { args } = plugin.wrapper;
    if (!plugin.isWrapped || args === undefined || !isArgs(args)) return [];
    const [at, hint] = [["wrapper", "args"], "Leave args out"];
    if (args === "keep") {
      const message = `${plugin.ifName} has the runtime's name, so it gets all requests anyway`;
      return plugin.isRenamed ? [] : { at, isKey: true, message, hint };
    }
    const keys = isJsonObject(args) ? Object.keys(args) : [];
    if (keys.length === 0) return { at, isKey: true, message: "args maps no key", hint };
    const known = knownKeys(plugin);
    const unknown = keys.filter((key) => known !== undefined && !known.includes(key));
    return unknown.map((key) => {
      const message = `${plugin.delegate} does not know the key ${key} of CNI_ARGS`;
      return { at: [...at, key], isKey: true, message, hint: hintOf(key, known ?? []) };
    });
  },
};

/** The keys of CNI_ARGS that the reference plugins and their IPAM plugins read (LoadArgs in their sources). */
const readKeys: Readonly<Record<string, readonly string[]>> = {
  ...{ bridge: ["MAC"], macvlan: ["MAC"], tap: ["MAC"], tuning: ["MAC"] },
  ...{ "host-local": ["IP"], static: ["IP", "GATEWAY"], dhcp: [] },
};

/** The keys that a plugin and its IPAM plugin read; undefined if one of them is unknown. */
function knownKeys(plugin: ListedPlugin): readonly string[] | undefined {
  const type = ipamTypeOf(plugin.configuration);
  const isKnown = type === undefined || Object.hasOwn(readKeys, type);
  if (plugin.profile === undefined || isRewritten(plugin) || !isKnown) return undefined;
  return [...(readKeys[plugin.delegate] ?? []), ...(readKeys[type ?? ""] ?? []), "IgnoreUnknown"];
}

function hintOf(key: string, known: readonly string[]): string {
  if (known.includes(key.toUpperCase())) return `Write "${key.toUpperCase()}"`;
  const keys = known.filter((name) => name !== "IgnoreUnknown");
  return keys.length > 0 ? `It knows ${keys.join(" and ")}` : "It knows none, so leave args out";
}
