import { existsSync } from "node:fs";
import type { JsonObject } from "../../shared/protocol/json.ts";
import { exampleAttachment } from "../explain/model-answers.ts";
import { addressesOf, type DefaultRoute, defaultRoutes, isNoBridge, type Link, linkNamed } from "../host/links.ts";
import { stateDirectory } from "../host/memory.ts";
import { processesNamed } from "../host/programs.ts";
import { ipamTypeOf, leasesOf } from "../lists/ipam.ts";
import { hasCapability, isDisabled, isRewritten, type List, type ListedPlugin, reportedBy } from "../lists/list.ts";
import { existingAbove } from "./stage.ts";

/** The links of the host, and what the command was asked for. */
interface Host {
  readonly links: readonly Link[];
  readonly cniPath: readonly string[];
  readonly veth: boolean;
  /** The ports that a person named. */
  readonly ports?: readonly string[] | undefined;
  readonly routes?: readonly DefaultRoute[];
}

/**
 * Looks at what a list needs of this host, and why it cannot be tried there. `commands` are lines for `ip -batch` on the stage, and
 * `state` are the directories that begin empty.
 */
export function surroundingsOf(list: List, host: Host) {
  const { plugins } = list;
  const { links, cniPath, veth, routes = defaultRoutes() } = host;
  const named = plugins.flatMap((plugin) => cardOf(plugin, routes));
  const cards = linksNamed(named, links);
  const made = plugins.flatMap(bridgeOf);
  const bridges = linksNamed(made, links).filter((link) => !cards.includes(link));
  const missing = new Set(named.filter((name) => name !== "lo" && !made.includes(name) && !linkNamed(name, links)));
  const isOnStage = (path: string) => isInRun(path) || path.startsWith(`${stateDirectory}/`);
  const leases = plugins.map(leasesOf).filter((path) => path.startsWith("/") && !isOnStage(path));
  const state = [stateDirectory, ...new Set(leases)];
  return {
    commands: [...bridges, ...cards].flatMap((link) => copyOf(link, routes)),
    notes: [
      ...bridges.map((link) => `${link.ifname} is made again here${addressesText(link)}`),
      ...cards.map((link) => `${link.ifname} is a veth here${addressesText(link)}`),
      // The plugin says only that it found no link.
      ...[...missing].map((name) => `this host has no interface ${name}`),
      ...portNotes(list, host.ports),
      ...plugins.flatMap(idleNotes),
      ...(isDisabled(list.value.disableCheck)
        ? ["CHECK was not run, as the list has disableCheck: no runtime runs it, and none sees a broken network"]
        : []),
    ],
    obstacles: [
      ...(plugins.length === 0 ? ["its list of plugins is empty"] : []),
      ...(veth ? [] : cards.map(({ ifname }) => `it needs ${ifname} of this host: --veth puts a veth there`)),
      ...plugins.flatMap(obstaclesOf),
      ...cniPath.filter(isInRun).map((path) => `the plugins in ${path} are under /run, which begins empty`),
      ...state
        .filter((path) => !existsSync(path) && existingAbove(path) === "/")
        .map((path) => `${path} has no directory above it: make one`),
    ],
    state,
  };
}

function linksNamed(names: readonly string[], links: readonly Link[]): readonly Link[] {
  return [...new Set(names.flatMap((name) => linkNamed(name, links) ?? []))].filter(({ ifname }) => ifname !== "lo");
}

/** The host's interface that a plugin takes, or makes its own on. */
function cardOf(plugin: ListedPlugin, routes: readonly DefaultRoute[]): readonly string[] {
  const { delegate, configuration, profile } = plugin;
  const { uses } = reportedBy(delegate);
  if (configuration.linkInContainer === true || (profile && !uses)) return [];
  const name = configuration[uses?.key ?? "master"];
  if (typeof name === "string" && name !== "") return [name];
  // pkg/utils, GetDefaultRouteInterface of macvlan and ipvlan.
  return /^(?:macvlan|ipvlan)$/.test(delegate) ? routes.slice(0, 1).map(({ device }) => device) : [];
}

function bridgeOf({ delegate, configuration: { bridge } }: ListedPlugin): readonly string[] {
  if (typeof bridge === "string" && bridge !== "") return [bridge];
  return delegate === "bridge" ? ["cni0"] : [];
}

function copyOf(link: Link, routes: readonly DefaultRoute[]): readonly string[] {
  const { ifname, mtu } = link;
  const index = link.ifindex;
  const kind = isNoBridge(link) ? `veth peer name try${index}` : "bridge";
  return [
    `link add ${ifname} ${mtu === undefined ? "" : `mtu ${mtu} `}type ${kind}`,
    `link set ${ifname} up`,
    ...(kind === "bridge" ? [] : [`link set try${index} up`]),
    ...addressesOf(link).map((address) => `address add ${address} dev ${ifname} nodad`),
    ...routes
      .filter(({ device }) => device === ifname)
      .map(({ gateway }) => `route add default via ${gateway} dev ${ifname} onlink`),
  ];
}

function obstaclesOf(plugin: ListedPlugin): readonly string[] {
  const { type, delegate, configuration } = plugin;
  const { uses } = reportedBy(delegate);
  const hasNoCard = uses && configuration[uses.key] === undefined;
  return [
    ...(ipamTypeOf(configuration) === "dhcp" ? [`${type} asks a DHCP daemon and a server for addresses`] : []),
    ...(hasNoCard && (isRewritten(plugin) || delegate === "host-device")
      ? [`only the plugin knows which interface of this host ${type} takes`]
      : []),
    ...(delegate === "firewall" && configuration.backend !== "iptables" && processesNamed(["firewalld"]).length > 0
      ? [`${type} asks firewalld`]
      : []),
    ...textsIn(configuration)
      .filter((path) => isInRun(path) && existsSync(path))
      .map((path) => `${type} needs ${path} of this host`),
  ];
}

function portNotes(list: List, ports: readonly string[] = []): readonly string[] {
  const isWanted = list.plugins.some((plugin) => hasCapability(plugin, "portMappings"));
  if (!isWanted) return ports.length > 0 ? ["--port changes nothing: no plugin has the capability portMappings"] : [];
  if (ports.length > 0) return [];
  const invented = exampleAttachment(list).capabilityArgs.portMappings as readonly JsonObject[];
  return [
    `invented ports: ${invented.map((one) => `${one.hostPort}:${one.containerPort}`).join(", ")}; --port names others`,
  ];
}

/** Says which plugins get nothing to do. Their calls pass. */
function idleNotes(plugin: ListedPlugin): readonly string[] {
  const { type, delegate, configuration } = plugin;
  if (isRewritten(plugin)) return [];
  if (delegate === "portmap" && !hasCapability(plugin, "portMappings"))
    return [`${type} publishes no port: it has no capability portMappings`];
  const isLimited = [configuration.ingressRate, configuration.egressRate].some((rate) => Number(rate) > 0);
  if (delegate !== "bandwidth" || isLimited) return [];
  return [`${type} limits nothing: it has no rate${hasCapability(plugin, "bandwidth") ? ", and gets none here" : ""}`];
}

function textsIn(value: unknown): readonly string[] {
  return typeof value === "string" ? [value] : Object.values(value ?? {}).flatMap(textsIn);
}

function isInRun(path: string): boolean {
  return /^\/(?:var\/)?run\//.test(path);
}

function addressesText(link: Link): string {
  const addresses = addressesOf(link);
  return addresses.length === 0 ? "" : `, with the addresses of the host's: ${addresses.join(", ")}`;
}
