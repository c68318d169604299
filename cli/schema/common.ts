import * as z from "zod";
import { pluginKeys } from "../../plugins/keys.ts";
import { ipamTypeOf } from "../lists/ipam.ts";
import type { ListedPlugin } from "../lists/list.ts";
import { dnsKeys, ipamKeys, otherIpamKeys } from "./ipam.ts";

/** The keys that every plugin configuration may have, except `ipam` and `wrapper` (types.PluginConf, CONVENTIONS.md). */
export const commonKeys = z
  .object({
    type: z.string().describe("The plugin: the name of an executable in CNI_PATH."),
    capabilities: z
      .record(z.string(), z.boolean())
      .describe("What the plugin takes from the runtime: portMappings, bandwidth, ips, mac and others."),
    dns: dnsKeys,
    args: z
      .unknown()
      .meta({ type: "object" })
      .describe("Arguments for plugins that read them. By convention under args.cni."),
    // The runtime replaces these.
    cniVersion: z.string().describe("The runtime replaces it with the list's."),
    name: z.string().describe("The runtime replaces it with the list's."),
    runtimeConfig: z.unknown().meta({ type: "object" }).describe("The runtime sets it, for the plugin's capabilities."),
    prevResult: z.unknown().meta({ type: "object" }).describe("The runtime sets it: the result so far."),
  })
  .partial();

/**
 * Returns the schemas that fit a plugin of a list: of the keys that every plugin may have, whose `ipam` has those of its type,
 * and of the plugin's own ones. An unknown plugin has none, and may have any key.
 */
export function schemasOf({ delegate, configuration }: ListedPlugin) {
  const type = ipamTypeOf(configuration) ?? "";
  const common = (Object.hasOwn(byIpamType, type) && byIpamType[type]) || withOtherIpam;
  const keys: Readonly<Record<string, z.ZodObject>> = pluginKeys;
  return { common, own: Object.hasOwn(keys, delegate) ? keys[delegate] : undefined };
}

const withOtherIpam = commonKeys.extend({ ipam: otherIpamKeys.optional() });
const byIpamType: Readonly<Record<string, z.ZodObject>> = Object.fromEntries(
  Object.entries(ipamKeys).map(([type, keys]) => [type, commonKeys.extend({ ipam: keys.optional() })]),
);
