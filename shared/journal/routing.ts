import { isLinkLocal, prefixName, samePrefix, subnetFinder } from "../attachment/subnet.ts";
import type { Host } from "../host/host.ts";
import { isJsonObject, type JsonObject, objectsOf, parseJsonList } from "../protocol/json.ts";
import type { CniResult, Route } from "../protocol/result.ts";

/** A route of a network namespace; `table` is `main` if ip(8) names none. */
export interface KernelRoute {
  /** A prefix with its length; `0.0.0.0/0` and `::/0` for the default routes. */
  readonly dst: string;
  readonly gateway?: string;
  readonly dev: string;
  readonly table: string;
}

/** A rule that chooses the table by the source address. */
export interface KernelRule {
  readonly src: string;
  readonly table: string;
}

/** The routes, rules and addresses of a network namespace, without the kernel's own routes in its table `local`. */
export interface Routing {
  readonly routes: readonly KernelRoute[];
  readonly rules: readonly KernelRule[];
  readonly addresses: readonly { readonly dev: string; readonly address: string }[];
}

/** The routes and rules after the ADD of a plugin that moves routes. They tell CHECK where to look. */
export type MovedRouting = Pick<Routing, "routes" | "rules">;

/** The commands for `ip -json -batch`. `parseRouting` reads the answers. */
const routingCommands = "route show table all\nrule show\naddress show\n";

/** Reads the routes, rules and addresses of a network namespace; undefined if iproute2 is missing or fails. */
export function readRouting(host: Host, netns: string): Routing | undefined {
  const ip = (...args: readonly string[]) => host.ip(["-json", ...args, "-batch", "-"], routingCommands, netns);
  // Numbers: rt_tables may name a table, or no longer, while containers run. iproute2 before 5.2 writes only names.
  const [ipv4, ipv6] = ["-4", "-6"].map((family) => ip(family, "-N") ?? ip(family));
  return ipv4 === undefined || ipv6 === undefined ? undefined : parseRouting(ipv4, ipv6);
}

/** Parses the answers of ip(8) to `routingCommands`, for IPv4 and for IPv6; undefined if they cannot be understood. */
export function parseRouting(ipv4: string, ipv6: string): Routing | undefined {
  const families = [readFamily(ipv4, "0.0.0.0/0", 32), readFamily(ipv6, "::/0", 128)];
  if (families.includes(undefined)) return undefined;
  const known = families as Routing[];
  return {
    routes: known.flatMap(({ routes }) => routes),
    rules: known.flatMap(({ rules }) => rules),
    addresses: known.flatMap(({ addresses }) => addresses),
  };
}

/**
 * Returns the result without routes that were moved, and without addresses whose subnet's route was moved. The reference
 * plugins' CHECK looks for them only in the main table. The CHECK of the plugin that moved them compares them. The last routing
 * that has such a route counts: vrf may have replaced it since.
 */
export function withoutMoved(result: CniResult, movers: readonly MovedRouting[]): CniResult {
  const known = movers.map(({ routes }) => bySubnet(routes, ({ dst }) => dst));
  const isMoved = (dst: string, gateway?: string | null): boolean => {
    const found = known.map((each) => each.get(prefixName(dst)) ?? []);
    const isIt = (route: KernelRoute) => !gateway || route.gateway === gateway;
    const alike = found.map((routes) => routes.filter(isIt)).findLast((some) => some.length > 0);
    return alike?.every(({ table }) => table !== "main") ?? false;
  };
  const shown: Record<string, unknown> = { ...result };
  if (result.ips) shown.ips = result.ips.filter(({ address }) => !isMoved(address));
  if (result.routes) shown.routes = result.routes.filter(({ dst, gw }) => typeof dst !== "string" || !isMoved(dst, gw));
  return shown;
}

/** Returns the routing without the routes that a later ADD removed: vrf replaces another interface's routes in its table. */
export function withoutReplaced({ routes, rules }: MovedRouting, later: MovedRouting): MovedRouting {
  return { routes: routes.filter((route) => later.routes.some((one) => isSameRoute(one, route))), rules };
}

/**
 * Returns a function that tells whether the kernel may have made one route of a route and of another interface's to the same IPv6
 * network. The reference plugins' CHECK finds no gateway in it. The result lists a gateway of several interfaces once: one of
 * their common subnet, or a link-local one.
 */
export function joinedFinder({ routes, ips }: CniResult): (route: Route) => boolean {
  let alike: Map<string, Route[]> | undefined;
  const isShared = subnetFinder(() =>
    [...bySubnet(ips ?? [], ({ address }) => address).values()].flatMap(([first, ...others]) => {
      return first && others.some((ip) => ip.interface !== first.interface) ? [first.address] : [];
    }),
  );
  return ({ dst, gw }) => {
    if (!gw?.includes(":")) return false;
    if (isLinkLocal(gw) || isShared(gw)) return true;
    // Comparing each route with each takes seconds.
    alike ??= bySubnet(routes ?? [], (one) => String(one.dst));
    return alike.get(prefixName(String(dst)))?.some((other) => other.gw !== gw) ?? false;
  };
}

/** Returns a function that tells whether a namespace has a result's route in its table. */
export function routeFinder({ routes }: Pick<Routing, "routes">): (route: Route) => boolean {
  const alike = bySubnet(routes, ({ dst }) => dst);
  return ({ dst, gw, table }) => {
    const isIt = (one: KernelRoute) => isSameTable({ table: String(table) }, one) && (!gw || one.gateway === gw);
    return alike.get(prefixName(String(dst)))?.some(isIt) ?? false;
  };
}

function bySubnet<T>(all: readonly T[], cidrOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const name = prefixName(cidrOf(one));
    const group = groups.get(name);
    if (group) group.push(one);
    else groups.set(name, [one]);
  }
  return groups;
}

/** Lists a result's routes that a namespace does not have in their tables, in words. */
export function missingRoutes(listed: readonly Route[], routing: Pick<Routing, "routes">): string[] {
  const isThere = routeFinder(routing);
  return listed
    .filter((route) => !isThere(route))
    .map(({ dst, gw, table }) => routeWords({ dst: String(dst), ...(gw && { gateway: gw }), table: String(table) }));
}

/** The routing of an interface when it was added, and now. */
export interface RoutingCheck {
  readonly moved: MovedRouting;
  readonly present: Routing;
  readonly ifName: string;
  /** The addresses from routers when the interface was added: the kernel replaces them by itself. */
  readonly routed?: readonly string[];
}

/** Lists what an interface has lost: its addresses, the rules for them, and the routes in tables other than main. */
export function missingRouting(
  { moved: remembered, present, ifName, routed = [] }: RoutingCheck,
  result: CniResult,
): string[] {
  const addresses = (result.ips ?? []).map(({ address }) => address);
  const isOwn = ({ src }: KernelRule) => addresses.some((address) => samePrefix(hostPrefix(address), hostPrefix(src)));
  const own = addresses.filter((address) => !routed.includes(address));
  // The kernel removes them with such an address, but not while another address has the prefix.
  const isRouted = (dst: string) =>
    routed.some((one) => samePrefix(dst, one) || samePrefix(dst, hostPrefix(one))) &&
    !own.some((one) => samePrefix(dst, one));
  // vrf replaces it with that of the next interface in its table (RouteReplace in plugins/meta/vrf/vrf.go).
  const isReplaced = (dst: string) => isRouted(dst) || dst === "fe80::/64";
  const moved = remembered.routes.filter(
    ({ dst, dev, table }) => dev === ifName && table !== "main" && !isReplaced(dst),
  );
  return [
    ...own
      .filter((address) => !present.addresses.some((one) => one.dev === ifName && isSameAddress(one.address, address)))
      .map((address) => `address ${address}`),
    ...remembered.rules
      .filter(isOwn)
      .filter((rule) => !present.rules.some((one) => one.src === rule.src && isSameTable(one, rule)))
      .map(({ src, table }) => `rule from ${src} lookup ${table}`),
    ...moved.filter((route) => !present.routes.some((one) => isSameRoute(one, route))).map(routeWords),
  ];
}

function isSameRoute(one: KernelRoute, other: KernelRoute): boolean {
  return one.dst === other.dst && one.gateway === other.gateway && one.dev === other.dev && isSameTable(one, other);
}

// Without -N, ip(8) writes a table's name. The journal's may be an old name that rt_tables no longer has.
function isSameTable({ table: present }: { readonly table: string }, { table }: { readonly table: string }): boolean {
  return present === table || (!/^(main|\d+)$/.test(table) && present !== "main");
}

function isSameAddress(one: string, other: string): boolean {
  return samePrefix(one, other) && samePrefix(hostPrefix(one), hostPrefix(other));
}

function routeWords({ dst, gateway, table }: Omit<KernelRoute, "dev">): string {
  return `route ${dst}${gateway ? ` via ${gateway}` : ""} table ${table}`;
}

function hostPrefix(address: string): string {
  const [base = ""] = address.split("/");
  return `${base}/${base.includes(":") ? 128 : 32}`;
}

/** Parses one answer of `ip -batch`: a JSON list for each command, one a line. */
function readFamily(text: string, everything: string, bits: number): Routing | undefined {
  const lists = text.split("\n").filter((line) => line.trim() !== "");
  const [routes, rules, links] = lists.map(parseJsonList);
  if (!routes || !rules || !links) return undefined;
  return {
    // A router's own routes come and go with it, as the kernel's do with the addresses.
    routes: routes
      .filter((route) => !isAny(route.protocol, "ra", "9") && !(isAny(route.table, "local", "255") && isKernels(route)))
      .flatMap(hopsOf)
      .map((route) => kernelRoute(route, everything, bits)),
    rules: rules.filter(({ src }) => src !== "all").map(kernelRule),
    addresses: links.flatMap(({ ifname, addr_info }) =>
      objectsOf(addr_info).map(({ local, prefixlen }) => ({ dev: String(ifname), address: `${local}/${prefixlen}` })),
    ),
  };
}

// Linux before 5.11 does not say that it has made the one of all groups itself.
function isKernels({ protocol, dst }: JsonObject): boolean {
  return isAny(protocol, "kernel", "2") || dst === "ff00::/8";
}

/** Whether ip(8) writes one of these: a name, or with -N its number. */
function isAny(value: unknown, ...names: readonly string[]): boolean {
  return names.some((name) => name === value);
}

// Two interfaces of a container with a default route: in IPv6 the kernel makes one of both.
function hopsOf(route: JsonObject): JsonObject[] {
  const { nexthops } = route;
  return Array.isArray(nexthops) ? nexthops.filter(isJsonObject).map((hop) => ({ ...route, ...hop })) : [route];
}

function kernelRoute({ dst, gateway, dev, table }: JsonObject, everything: string, bits: number): KernelRoute {
  const prefix = dst === "default" ? everything : String(dst).includes("/") ? String(dst) : `${dst}/${bits}`;
  const via = gateway === undefined ? {} : { gateway: String(gateway) };
  return { dst: prefix, ...via, dev: String(dev), table: tableName(table ?? "main") };
}

// Without -N, ip(8) writes the name.
function tableName(table: unknown): string {
  return table === "254" ? "main" : String(table);
}

function kernelRule({ src, srclen, table }: JsonObject): KernelRule {
  return { src: srclen === undefined ? String(src) : `${src}/${srclen}`, table: tableName(table) };
}
