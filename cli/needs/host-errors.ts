import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { backendOptions } from "../../plugins/portmap/keys.ts";
import { attempt, readFile } from "../../shared/host/node/files.ts";
import { leaseDirectoryOf } from "../../shared/journal/host-files.ts";
import { goLookup, ipamOf, isJsonObject } from "../../shared/protocol/json.ts";
import { journalProblem } from "../host/journal-place.ts";
import { type DefaultRoute, defaultRoutes } from "../host/links.ts";
import { hasProgram, runProgram } from "../host/programs.ts";
import { addressOf, addressText, cidrOf, contains, givesOut, networkOf } from "../lists/addresses.ts";
import { gatewaysIn } from "../lists/gateways.ts";
import { entriesOf, ipamTypeOf, poolsOf, rangeSetsOf } from "../lists/ipam.ts";
import { isRewritten, type List, type ListedPlugin, lanMasterOf } from "../lists/list.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import { droppedPlugins } from "../live/check.ts";
import type { Networks } from "../live/networks.ts";
import { oneLine } from "../terminal.ts";
import { type HostLinks, lostSince } from "./running.ts";

/** The running host that the lists are compared with. */
export interface RunningHost extends HostLinks {
  /** The attachments whose containers run. */
  readonly live: readonly CachedAttachment[];
}

/** Finds what the lists need and this host does not have, besides plugins and interfaces, a line each. */
export function hostErrors(networks: Networks, { live, ...host }: RunningHost): readonly string[] {
  return [...networks.values()].flatMap(({ name, list }) => {
    const own = live.filter(({ network }) => network === name);
    const problems = [
      ...list.plugins.flatMap((plugin) => ofPlugins.flatMap((problemsOf) => problemsOf(plugin))),
      ...ipv6Problems(list),
      ...lostSince(list, own, host),
      ...own.flatMap((attachment) => droppedPlugins(list, attachment)),
    ];
    return [...new Set(problems)].map((problem) => oneLine(`${list.file.path}: ${problem}`));
  });
}

const ofPlugins = [logProblem, ipamProblems, sysctlProblems, programProblems, backendProblems, routeProblems];

/** A call would say it on stderr only. */
function logProblem({ wrapper: { log } }: ListedPlugin): readonly string[] {
  const file = isJsonObject(log) ? log.file : undefined;
  if (typeof file !== "string" || !file.startsWith("/")) return [];
  const isDirectory = attempt(() => statSync(file).isDirectory());
  // They make the directories that are missing, as those of journals.
  const problem = isDirectory ? "it is a directory" : journalProblem(dirname(file));
  return problem === undefined ? [] : [`the wrappers cannot write the log ${file}: ${problem}`];
}

/** The programs of packet filters that a plugin runs and this host does not have. */
export function programProblems(plugin: ListedPlugin, path = process.env.PATH): readonly string[] {
  if (isRewritten(plugin)) return [];
  const wanted = programsOf(plugin);
  if (wanted.length === 0 || wanted.some((name) => hasProgram(name, path))) return [];
  return [`${plugin.type} needs ${wanted.join(" or ")}, which this host does not have: ADD fails. Install it`];
}

/** The programs of which one is enough. */
function programsOf({ delegate, profile, configuration }: ListedPlugin): readonly string[] {
  const { backend, ipMasq, ipMasqBackend } = configuration;
  if (delegate === "firewall") return backend === "firewalld" ? ["firewalld"] : ["iptables", "firewalld"];
  if (delegate === "portmap") return programsFor(backend);
  return profile?.masquerades && ipMasq === true ? programsFor(ipMasqBackend) : [];
}

// plugins/pkg/ip/ipmasq_linux.go: iptables, unless only nft is there.
function programsFor(backend: unknown): readonly string[] {
  if (backend === "nftables") return ["nft"];
  return backend === undefined || backend === null ? ["iptables", "nft"] : ["iptables"];
}

/** The options of portmap that are not for the backend that it takes on this host (plugins/meta/portmap/main.go, ensureBackend). */
export function backendProblems(plugin: ListedPlugin): readonly string[] {
  const { type, delegate, configuration } = plugin;
  if (delegate !== "portmap" || isRewritten(plugin) || (configuration.backend ?? undefined) !== undefined) return [];
  const options = backendOptions(configuration);
  if (options.length === 0) return [];
  const backend = isIptablesUsed() ? "iptables" : "nftables";
  const foreign = options.filter((one) => one.backend !== backend);
  return foreign.map(
    ({ key, backend: other }) =>
      `${type} takes ${backend} on this host, and ${key} is for ${other}: ADD, CHECK and DEL fail. Set "backend": "${other}"`,
  );
}

// plugins/pkg/utils/netfilter.go: portmap asks both programs.
function isIptablesUsed(): boolean {
  if (runProgram("iptables", ["--wait", "-t", "filter", "-S", "INPUT", "1"]).passed) return true;
  return !runProgram("nft", ["--check", "add", "table", "ip", "cni_wrappers_test"]).passed;
}

/** What the IPAM plugin of a plugin needs and this host does not have. */
export function ipamProblems(plugin: ListedPlugin): readonly string[] {
  if (isRewritten(plugin)) return [];
  const type = ipamTypeOf(plugin.configuration);
  if (type === "dhcp") return dhcpProblem(plugin);
  return type === "host-local" ? [...leaseProblem(plugin), ...resolverProblem(plugin)] : [];
}

// plugins/ipam/dhcp/main.go, defaultSocketPath.
const usualSocket = "/run/cni/dhcp.sock";

function dhcpProblem({ type, configuration }: ListedPlugin): readonly string[] {
  const socket = goLookup(ipamOf(configuration), "daemonSocketPath") || usualSocket;
  if (typeof socket !== "string" || existsSync(socket)) return [];
  return [
    `${type} asks for addresses at ${socket}, which is not there: ADD fails. Start the DHCP daemon (dhcp daemon)`,
  ];
}

/** host-local makes the directories that are missing. The usual one is next to the journals, which are looked at anyway. */
function leaseProblem({ network, configuration }: ListedPlugin): readonly string[] {
  const ipam = ipamOf(configuration);
  const directory = leaseDirectoryOf(ipam, network);
  // A relative one depends on where the runtime was started.
  if (!goLookup(ipam, "dataDir") || !directory.startsWith("/")) return [];
  const problem = journalProblem(directory);
  return problem === undefined ? [] : [`host-local cannot write leases, and ADD fails: ${problem}`];
}

function resolverProblem({ configuration }: ListedPlugin): readonly string[] {
  const file = goLookup(ipamOf(configuration), "resolvConf");
  if (typeof file !== "string" || !file.startsWith("/") || existsSync(file)) return [];
  return [`host-local reads ${file} (resolvConf), which is not there: ADD fails. Write it, or delete the key`];
}

/** What a plugin does to the host's way out, or does not know of it. */
export function routeProblems(plugin: ListedPlugin, routes = defaultRoutes()): readonly string[] {
  if (isRewritten(plugin)) return [];
  if (plugin.delegate === "host-device") return lostUplink(plugin, routes);
  const master = lanMasterOf(plugin);
  return routes.filter(({ device }) => device === master).flatMap((route) => otherGateway(plugin, route));
}

function lostUplink({ type, configuration }: ListedPlugin, routes: readonly DefaultRoute[]): readonly string[] {
  const isOnly = routes.length > 0 && routes.every(({ device }) => device === configuration.device);
  return isOnly
    ? [
        `${type} moves ${configuration.device} into the container, and this host's only default route goes through it: the host loses its network. Use another device`,
      ]
    : [];
}

/** host-local takes the first address of a subnet for its gateway, and gives out all others. The LAN's gateway can be any. */
function otherGateway(plugin: ListedPlugin, { device, gateway }: DefaultRoute): readonly string[] {
  const lan = addressOf(gateway);
  const isDefault = entriesOf(plugin, "routes").some(({ entry }) => entry.dst === "0.0.0.0/0" && !entry.gw);
  if (!lan) return [];
  const given = poolsOf(plugin).some((pool) => givesOut(pool, lan));
  const ranges = isDefault ? rangeSetsOf(plugin).flat() : [];
  const guessed = ranges.flatMap(({ range }) => {
    const subnet = cidrOf(range.subnet);
    if (!subnet || goLookup(range, "gateway") || !contains(subnet, lan)) return [];
    const value = networkOf(subnet) + 1n;
    return value === lan.value ? [] : [addressText({ bits: subnet.bits, value })];
  });
  const cure = `Set "gateway" to ${gateway} next to "subnet"`;
  return [
    ...guessed.map(
      (own) =>
        `${plugin.ifName} gets a default route through ${own}, and this host's goes through ${gateway} on ${device}. ${cure}`,
    ),
    ...(given ? [`${plugin.ifName} can get ${gateway}, the gateway on ${device}. ${cure}`] : []),
  ];
}

// plugins/meta/tuning/tuning.go: without the file, all are allowed.
const allowlist = "/etc/cni/tuning/allowlist.conf";

/** The sysctls that tuning will not set, or cannot. */
export function sysctlProblems(plugin: ListedPlugin): readonly string[] {
  const { sysctl } = plugin.configuration;
  if (plugin.delegate !== "tuning" || !isJsonObject(sysctl) || isRewritten(plugin)) return [];
  const keys = Object.keys(sysctl);
  const allowed = readFile(allowlist);
  const refused = keys.filter((key) => allowed !== undefined && !allows(allowed, key));
  const foreign = keys.filter((key) => !fileOf(key).startsWith("/proc/sys/net/"));
  return [
    ...refused.map((key) => `${allowlist} does not allow the sysctl ${key}: ADD fails. Add a line to it`),
    ...foreign.map((key) => `tuning sets no sysctl outside of net, such as ${key}: ADD fails. Delete it`),
    ...missingIn(keys.filter((key) => !foreign.includes(key))).map(
      (key) => `a container has no sysctl ${key}: ADD fails. Correct the name, or set it on the host itself`,
    ),
  ];
}

function allows(lines: string, key: string): boolean {
  const patterns = lines.split("\n").map((line) => line.trim());
  // Go's regular expressions have a few forms that JavaScript's do not.
  const matches = (pattern: string) => attempt(() => new RegExp(pattern).test(key)) ?? true;
  return patterns.some((pattern) => pattern !== "" && matches(pattern));
}

function fileOf(key: string): string {
  return join("/proc/sys", key.replaceAll(".", "/"));
}

/**
 * The sysctls that a new network namespace does not have, in a directory that it has. A kernel module can still bring those of
 * netfilter and bridges, and an interface its own.
 */
function missingIn(keys: readonly string[]): readonly string[] {
  const certain = keys.filter((key) => !/^net[./](?:netfilter|bridge|ipv[46][./](?:conf|neigh)[./])/.test(key));
  if (certain.length === 0) return [];
  const files = certain.map(fileOf);
  const wanted = [...files, ...files.map((file) => dirname(file))];
  const present = new Set(runProgram("unshare", ["--net", "stat", "--format=%n", ...wanted]).stdout.split("\n"));
  return certain.filter((key) => present.has(dirname(fileOf(key))) && !present.has(fileOf(key)));
}

/** Whether bridge cannot give a bridge of a list its IPv6 address. */
export function ipv6Problems(list: List): readonly string[] {
  return gatewaysIn(list).flatMap(({ key: bridge, cidr }) => {
    if (cidr.bits === 32) return [];
    const own = `/proc/sys/net/ipv6/conf/${bridge}/disable_ipv6`;
    // A new device begins as the default says.
    const switched = existsSync(own) ? own : "/proc/sys/net/ipv6/conf/default/disable_ipv6";
    if (readFile(switched)?.trim() === "0") return [];
    return [`IPv6 is off on this host (${switched}), and ${bridge} needs an IPv6 address: ADD fails. Switch it on`];
  });
}
