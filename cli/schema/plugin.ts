import * as z from "zod";
import { pluginKeys } from "../../plugins/keys.ts";
import { parseCidr, parseIp } from "../../shared/attachment/subnet.ts";
import { ipamTypeOf } from "../lists/ipam.ts";
import type { ListedPlugin } from "../lists/list.ts";

/** Returns the schema of an object that may lack each of these keys. */
function optionalKeys<Keys extends z.ZodRawShape>(keys: Keys) {
  return z.object(keys).partial();
}

/** The keys of `dns` (types.DNS). */
const dnsKeys = optionalKeys({
  nameservers: z.array(z.string()).describe("Addresses of name servers."),
  domain: z.string().describe("Domain for short names."),
  search: z.array(z.string()).describe("Search list for short names."),
  options: z.array(z.string()).describe("Options, as in resolv.conf."),
}).describe("DNS settings of the result. The runtime decides how to use them.");

/** An IP address as Go reads it: without a zone. */
const address = z.string().refine((text) => text === "" || parseIp(text) !== undefined, "must be an IP address");

/** A subnet, or an address with its prefix length. */
const cidr = z
  .string()
  .refine((text) => parseCidr(text) !== undefined, "must be an address with a prefix length, such as 10.0.0.0/24");

/** One route that the container gets (types.Route). */
const route = optionalKeys({
  dst: cidr.describe("Destination, such as 0.0.0.0/0 for the default route."),
  gw: address.describe("Gateway. Default: the gateway of the interface's subnet."),
  mtu: z.int().describe("MTU on this route."),
  advmss: z.int().describe("Maximum segment size to announce on this route."),
  priority: z.int().describe("Metric of the route."),
  table: z.int().describe("Routing table. Default: main."),
  scope: z.int().describe("Scope: 0 is global, 253 is link, 254 is host."),
}).required({ dst: true });

const routes = z.array(route).describe("Routes that the container gets.");
const type = z.string().describe("The IPAM plugin.");

const rangeKeys = {
  subnet: cidr.describe("The subnet, such as 172.26.64.0/20."),
  rangeStart: address.describe("The first address to give out. Default: the subnet's second address."),
  rangeEnd: address.describe("The last address to give out. Default: the subnet's last address but one."),
  gateway: address.describe("Default: the subnet's first address."),
};

/** The keys of `ipam` for host-local (plugins/ipam/host-local/backend/allocator/config.go, IPAMConfig). */
const hostLocalKeys = optionalKeys({
  type,
  ranges: z
    .array(z.array(optionalKeys(rangeKeys).required({ subnet: true })))
    .describe("Sets of ranges. The container gets one address from each set."),
  routes,
  dataDir: z.string().describe("Directory for the leases. Default: /var/lib/cni/networks."),
  resolvConf: z.string().describe("A file in the form of resolv.conf, for the DNS settings of the result."),
  ...rangeKeys,
});

/** The keys of `ipam` for static (plugins/ipam/static/main.go, IPAMConfig). */
const staticKeys = optionalKeys({
  type,
  addresses: z
    .array(
      z.object({
        address: cidr.describe("Address with the prefix length of its subnet, such as 172.16.5.20/24."),
        gateway: address.optional().describe("Gateway of the subnet."),
      }),
    )
    .describe("Addresses that the container gets."),
  routes,
  dns: dnsKeys,
});

// A number as text is an option too, so `option` is no list of names.
const option = z.string().describe('Name or number of the option, such as "host-name" or "12".');

/** The keys of `ipam` for dhcp (plugins/ipam/dhcp/main.go, IPAMConfig). */
const dhcpKeys = optionalKeys({
  type,
  daemonSocketPath: z.string().describe("Socket of the DHCP daemon. Default: /run/cni/dhcp.sock."),
  request: z
    .array(
      optionalKeys({
        option,
        skipDefault: z.boolean().describe("Do not ask for the options that are asked for by default."),
      }),
    )
    .describe("Options to ask the server for."),
  provide: z
    .array(
      optionalKeys({
        option,
        value: z.string().describe("The value to send."),
        fromArg: z.string().describe("The key of CNI_ARGS that has the value to send."),
      }),
    )
    .describe("Options to send to the server."),
  priority: z.int().describe("Metric of the routes."),
});

/** The keys of `ipam` by its type. */
export const ipamKeys: Readonly<Record<string, z.ZodObject>> = {
  "host-local": hostLocalKeys,
  dhcp: dhcpKeys,
  static: staticKeys,
};

/** The keys of `ipam` for another plugin. */
const otherIpamKeys = z.looseObject({ type: type.optional() });

/** The keys that every plugin configuration may have, except `ipam` and `wrapper` (types.PluginConf, CONVENTIONS.md). */
export const commonKeys = optionalKeys({
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
});

/**
 * Returns the schemas that fit a plugin of a list: of the keys that every plugin may have, whose `ipam` has those of its type,
 * and of the plugin's own ones. An unknown plugin has none, and may have any key.
 */
export function schemasOf({ delegate, configuration }: Pick<ListedPlugin, "delegate" | "configuration">) {
  const type = ipamTypeOf(configuration) ?? "";
  const common = (Object.hasOwn(byIpamType, type) && byIpamType[type]) || withOtherIpam;
  const keys: Readonly<Record<string, z.ZodObject>> = pluginKeys;
  return { common, own: Object.hasOwn(keys, delegate) ? keys[delegate] : undefined };
}

const withOtherIpam = commonKeys.extend({ ipam: otherIpamKeys.optional() });
const byIpamType: Readonly<Record<string, z.ZodObject>> = Object.fromEntries(
  Object.entries(ipamKeys).map(([type, keys]) => [type, commonKeys.extend({ ipam: keys.optional() })]),
);
