import * as z from "zod";
import { dnsKeys } from "./dns.ts";
import { ipamKeys, otherIpamKeys } from "./ipam.ts";

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

/** Returns the schema of a plugin's common keys. The type of its `ipam` decides which keys that has. */
export function commonKeysFor(ipamType: unknown): z.ZodObject {
  const known = typeof ipamType === "string" && Object.hasOwn(byIpamType, ipamType);
  return (known && byIpamType[ipamType]) || withOtherIpam;
}

const withOtherIpam = commonKeys.extend({ ipam: otherIpamKeys.optional() });
const byIpamType: Readonly<Record<string, z.ZodObject>> = Object.fromEntries(
  Object.entries(ipamKeys).map(([type, keys]) => [type, commonKeys.extend({ ipam: keys.optional() })]),
);
