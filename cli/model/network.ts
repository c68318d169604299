import { addressIn } from "../../shared/attachment/subnet.ts";
import { type JsonObject, objectsOf } from "../../shared/protocol/json.ts";
import { isInOtherTable } from "../../shared/protocol/result.ts";
import { addressOf, addressText, cidrOf, contains, networkOf } from "../lists/addresses.ts";
import type { Link, Namespace, Route } from "./machine.ts";
import { PluginError } from "./plugin.ts";

/** An address that a plugin fills in. */
export type FilledIp = { address: string; gateway?: string };

/** An address of a result. */
type Ip = Readonly<FilledIp>;

/** What an IPAM plugin gives. */
export interface Leased {
  readonly ips: readonly Ip[];
  readonly routes: readonly JsonObject[];
}

export function isIpv6(address: string): boolean {
  return address.includes(":");
}

/** Returns `10.1.0.0/24` for `10.1.0.2/24`. */
export function subnetOf(address: string): string {
  const cidr = cidrOf(address);
  return cidr ? `${addressText({ bits: cidr.bits, value: networkOf(cidr) })}/${cidr.length}` : address;
}

/** Whether an address is in a subnet. */
export function isIn(subnet: string, address: string): boolean {
  const cidr = cidrOf(subnet);
  return cidr !== undefined && contains(cidr, addressOf(address));
}

/** Writes a subnet as Go prints the struct. bridge makes the mask of its own default route of 16 bytes. */
function struct(subnet: string, { hasNames = false, isLong = false } = {}): string {
  const [ip = "", length = ""] = subnet.split("/");
  const bits = isIpv6(ip) ? 128 : 32;
  const mask = ((1n << BigInt(bits)) - (1n << BigInt(bits - Number(length)))).toString(16).padStart(bits / 4, "0");
  const whole = isLong && bits === 32 ? `00000000000000000000ffff${mask}` : mask;
  return hasNames ? `{IP:${ip} Mask:${mask}}` : `{${ip} ${whole}}`;
}

/** Gives a link the addresses and routes of its IPAM plugin, and those that a plugin added (pkg/ipam/ipam_linux.go, ConfigureIface). */
export function configure(
  namespace: Namespace,
  ifName: string,
  { ips, routes }: Leased,
  added: readonly JsonObject[] = [],
): Link {
  const link = namespace.links.get(ifName);
  if (!link) throw new PluginError(`failed to lookup "${ifName}": Link not found`);
  for (const { address, gateway = "<nil>" } of ips) {
    if (link.addresses.includes(address)) {
      const ip = `{Interface:0x... Address:${struct(address, { hasNames: true })} Gateway:${gateway}}`;
      throw new PluginError(`failed to add IP addr ${ip} to "${ifName}": file exists`);
    }
    if (isIpv6(address) && hasNoIpv6(link)) {
      const file = `/proc/sys/net/ipv6/conf/${ifName}/keep_addr_on_down`;
      const reason = `open ${file}: no such file or directory`;
      throw new PluginError(`failed to enable keep_addr_on_down for interface "${ifName}": ${reason}`);
    }
    link.addresses = [...link.addresses, address];
    const isAlone = address.endsWith("/32") && !isIpv6(address);
    if (!isAlone) link.routes.push({ dst: subnetOf(address), gw: undefined, isConnected: true });
  }
  for (const route of routes) {
    const problem = addRoute(link, ips, route);
    if (problem === undefined) continue;
    const { to, via = "<nil>", reason } = problem;
    const { priority = 0, table = 0 } = route;
    const scope = scopes[scopeOf(route)] ?? "unknown";
    const words = `via ${via} dev ${ifName} metric ${priority} (Scope: ${scope}, Table: ${table})`;
    throw new PluginError(`failed to add route '${struct(to, { isLong: added.includes(route) })} ${words}': ${reason}`);
  }
  return link;
}

/** The kernel takes IPv6 away from a link with a smaller MTU than IPv6's least one. */
export function hasNoIpv6({ attributes }: Link): boolean {
  return Number(attributes.get("mtu")) < 1280;
}

/** The scopes of routes, as netlink names them. */
const scopes: Readonly<Record<number, string>> = {
  0: "universe",
  200: "site",
  253: "link",
  254: "host",
  255: "nowhere",
};

/** A route's scope: netlink takes the last eight bits. */
function scopeOf({ scope }: JsonObject): number {
  return Number(scope ?? 0) & 0xff;
}

/** IPv4 has no route to such a destination, and one of IPv6 loses these bits. */
function hasHostBits(dst: unknown): boolean {
  const cidr = cidrOf(dst);
  return cidr !== undefined && networkOf(cidr) !== cidr.value;
}

function addRoute(link: Link, ips: readonly Ip[], listed: JsonObject) {
  const { dst, gw, table, priority } = listed;
  const to = subnetOf(String(dst));
  const family = ips.find(({ gateway }) => gateway !== undefined && isIpv6(gateway) === isIpv6(to));
  const via = gw ? String(gw) : family?.gateway;
  // IPv6 has no scopes. With the link's, a route has no gateway.
  const scope = isIpv6(to) ? 0 : scopeOf(listed);
  if (hasHostBits(dst) && !isIpv6(to)) return { to: String(dst), via, reason: "invalid argument" };
  if (scope > (via === undefined ? 254 : 253)) return { to, via, reason: "invalid argument" };
  const isNear =
    scope < 253 && link.routes.some((route) => route.gw === undefined && via !== undefined && isIn(route.dst, via));
  if (via !== undefined && !isNear && !isIn("fe80::/64", via)) {
    return { to, via, reason: isIpv6(via) ? "no route to host" : "network is unreachable" };
  }
  const inTable = isInOtherTable({ table }) && { table: String(table) };
  const route: Route = { dst: to, gw: via, ...(priority ? { priority: Number(priority) } : {}), ...inTable };
  const keys = ["dst", "gw", "table", "priority"] as const;
  const isThere = link.routes.some((one) => !one.isConnected && keys.every((key) => one[key] === route[key]));
  if (isThere) return { to, via, reason: "file exists" };
  link.routes.push(route);
  return undefined;
}

/** Compares a result with the links of a namespace (pkg/ip/utils_linux.go). */
export function checkNetwork({ links }: Namespace, ifName: string, prevResult: JsonObject): void {
  const routes = [...links.values()].flatMap((link) => link.routes.filter(({ table }) => table === undefined));
  for (const ip of objectsOf(prevResult.ips)) {
    const address = String(ip.address);
    const link = links.get(ifName);
    if (!link) throw new PluginError(`Cannot find container link ${ifName}`);
    if (!link.addresses.includes(address)) {
      throw new PluginError(`Failed to match addr ${address} on interface ${ifName}`);
    }
    if (!routes.some(({ dst }) => dst === subnetOf(address))) {
      throw new PluginError(`Failed to find Gateway ${ip.gateway ?? "<nil>"} for interface ${ifName}`);
    }
  }
  for (const route of objectsOf(prevResult.routes)) {
    const dst = subnetOf(String(route.dst));
    const isDefault = dst.endsWith("/0");
    const isMet = (one: Route) =>
      one.dst === dst && !hasHostBits(route.dst) && (isDefault || !route.gw || one.gw === route.gw);
    if (!routes.some(isMet)) throw new PluginError(`Expected Route ${routeText(route)} not found in routing table`);
  }
}

function routeText({ dst, gw, mtu = 0, advmss = 0, priority = 0, table, scope }: JsonObject): string {
  const numbers = `MTU:${mtu} AdvMSS:${advmss} Priority:${priority} Table:${table ?? "<nil>"} Scope:${scope ?? "<nil>"}`;
  return `{Dst:${struct(String(dst), { hasNames: true })} GW:${gw ?? "<nil>"} ${numbers}}`;
}

/** The first address of a subnet after the network's own. */
export function firstOf(address: string): string {
  const cidr = cidrOf(address);
  return cidr ? addressText({ bits: cidr.bits, value: networkOf(cidr) + 1n }) : addressIn(address);
}
