import { isJsonObject } from "../../shared/protocol/json.ts";
import { isArgs } from "../../shared/protocol/options.ts";
import type { Found, ListRule } from "../lint/rule.ts";
import { isRewritten } from "../lists/chain.ts";
import { ipamOf } from "../lists/ipam-block.ts";
import type { List, ListedPlugin } from "../lists/list.ts";
import { keyAt } from "../lists/list-file.ts";

/** `wrapper.args` chooses the requests of CNI_ARGS that reach a plugin. */
export const uselessArgs: ListRule = {
  of: "list",
  code: "useless-args",
  severity: "warning",
  title: "wrapper.args has no effect.",
  page: `\`args\` decides which requests of CNI_ARGS reach the plugin. \`"keep"\` changes nothing for an interface that is not
renamed, because it gets all requests anyway. In an object, the left side is the plugin's key. The reference plugins know
\`IP\` (host-local and static), \`GATEWAY\` (static) and \`MAC\` (bridge, macvlan, tap and tuning), in capitals. They ignore or
refuse any other key. See [addresses chosen by a job](configuration.md#addresses-chosen-by-a-job).`,
  find(list) {
    return list.plugins.filter(({ isWrapped }) => isWrapped).flatMap((plugin) => foundIn(list, plugin));
  },
};

function foundIn({ file }: List, plugin: ListedPlugin): readonly Found[] {
  const { args } = plugin.wrapper;
  if (args === undefined || !isArgs(args)) return [];
  const path = [...plugin.path, "wrapper", "args"];
  if (args === "keep") {
    const message = `${plugin.ifName} has the runtime's name, so it gets all requests anyway`;
    return plugin.isRenamed ? [] : [{ place: keyAt(file, path), message, hint: "Leave args out" }];
  }
  const keys = isJsonObject(args) ? Object.keys(args) : [];
  if (keys.length === 0) return [{ place: keyAt(file, path), message: "args maps no key", hint: "Leave args out" }];
  const known = knownKeys(plugin);
  return keys.flatMap((key) => {
    if (known === undefined || known.includes(key)) return [];
    const message = `${plugin.delegate} does not know the key ${key} of CNI_ARGS`;
    return [{ place: keyAt(file, [...path, key]), message, hint: hintOf(key, known) }];
  });
}

const interfaceKeys: Readonly<Record<string, readonly string[]>> = {
  bridge: ["MAC"],
  macvlan: ["MAC"],
  tap: ["MAC"],
  tuning: ["MAC"],
};
const ipamKeys: Readonly<Record<string, readonly string[]>> = {
  "host-local": ["IP"],
  static: ["IP", "GATEWAY"],
  dhcp: [],
};

/** The keys that a plugin and its IPAM plugin read (LoadArgs in their sources); undefined if one of them is unknown. */
function knownKeys(plugin: ListedPlugin): readonly string[] | undefined {
  const { type = "" } = ipamOf(plugin);
  if (plugin.profile === undefined || isRewritten(plugin)) return undefined;
  const ofIpam = type === "" ? [] : ipamKeys[String(type)];
  return ofIpam && [...(interfaceKeys[plugin.delegate] ?? []), ...ofIpam, "IgnoreUnknown"];
}

function hintOf(key: string, known: readonly string[]): string {
  if (known.includes(key.toUpperCase())) return `Write "${key.toUpperCase()}"`;
  const keys = known.filter((name) => name !== "IgnoreUnknown");
  return keys.length > 0 ? `It knows ${keys.join(" and ")}` : "It knows none, so leave args out";
}
