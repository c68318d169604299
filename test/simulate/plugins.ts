import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import type { Machine, Namespace } from "./machine.ts";

/** A call of a plugin. */
export interface PluginCall {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly config: JsonObject;
}

/** A point between two steps of a plugin. It throws if the plugin ends there. */
export type Point = (name: string) => void;

/** The plugin's error, as it prints it. */
export class PluginError extends Error {}

type Plugin = (machine: Machine, call: PluginCall, point: Point) => JsonObject | undefined;

/** What the reference plugins do to links, leases and rules (plugins 1.9.1: main/bridge, main/macvlan, meta/tuning, meta/firewall). */
export const plugins: Readonly<Record<string, Plugin>> = {
  bridge: (machine, call, point) => creator(machine, call, point, "keeps its link"),
  macvlan: (machine, call, point) => creator(machine, call, point, "removes its link"),
  tuning,
  firewall,
};

/** The directory of host-local's leases in a network. */
export const leaseDirectory = "/var/lib/cni/networks";

function creator(machine: Machine, call: PluginCall, point: Point, failing: "keeps its link" | "removes its link") {
  switch (call.env.CNI_COMMAND) {
    case "ADD":
      return attach(machine, call, point, failing);
    case "CHECK":
      return check(machine, call);
    case "DEL":
      return detach(machine, call, point);
    default:
      return undefined;
  }
}

function attach(machine: Machine, call: PluginCall, point: Point, failing: string): JsonObject {
  const { CNI_NETNS: netns = "", CNI_IFNAME: name = "" } = call.env;
  const namespace = machine.namespaces.get(netns);
  if (!namespace) throw new PluginError(`failed to open netns "${netns}"`);
  if (namespace.links.has(name)) throw new PluginError(`container veth name provided (${name}) already exists`);
  machine.addLink(namespace, name);
  let address: string | undefined;
  try {
    point("link");
    address = reserve(machine, call, point);
    point("lease");
    setAddress(namespace, name, address);
    point("address");
    return { cniVersion: "1.1.0", interfaces: [{ name, sandbox: netns }], ips: [{ address, interface: 0 }] };
  } catch (error) {
    if (!(error instanceof PluginError)) throw error;
    if (address) release(machine, call);
    if (failing === "removes its link") namespace.links.delete(name);
    throw error;
  }
}

function setAddress({ links }: Namespace, name: string, address: string): void {
  const link = links.get(name);
  if (!link) throw new PluginError(`failed to lookup "${name}"`);
  links.set(name, { ...link, addresses: [address] });
}

function check(machine: Machine, { env, config }: PluginCall): undefined {
  const { CNI_NETNS: netns = "", CNI_IFNAME: name = "" } = env;
  const { interfaces, ips } = config.prevResult as { interfaces: JsonObject[]; ips: JsonObject[] };
  const link = machine.namespaces.get(netns)?.links.get(name);
  if (!interfaces.some((one) => one.name === name && one.sandbox === netns)) throw new PluginError(`no ${name}`);
  // bridge and macvlan look for every address of prevResult on their own interface.
  for (const { address } of ips) {
    if (!link?.addresses.includes(String(address))) throw new PluginError(`${name} has not ${address}`);
  }
  if (ownLeases(machine, env, config).length === 0) throw new PluginError("host-local: Failed to find address");
}

function detach(machine: Machine, call: PluginCall, point: Point): undefined {
  const { CNI_NETNS: netns = "", CNI_IFNAME: name = "" } = call.env;
  release(machine, call);
  point("released");
  machine.namespaces.get(netns)?.links.delete(name);
}

function tuning(machine: Machine, { env, config }: PluginCall): JsonObject | undefined {
  const { CNI_COMMAND, CNI_NETNS: netns = "", CNI_IFNAME: name = "" } = env;
  if (CNI_COMMAND === "ADD" || CNI_COMMAND === "CHECK") {
    if (!machine.namespaces.get(netns)?.links.has(name)) throw new PluginError(`tuning: no link ${name}`);
  }
  return CNI_COMMAND === "ADD" ? (config.prevResult as JsonObject) : undefined;
}

/** Rules that name nothing but an address (plugins/meta/firewall/iptables.go). */
function firewall(machine: Machine, { env, config }: PluginCall, point: Point): JsonObject | undefined {
  const { ips = [] } = (config.prevResult ?? {}) as { ips?: JsonObject[] };
  for (const address of ips.map((ip) => String(ip.address))) {
    if (env.CNI_COMMAND === "ADD") machine.rules.add(address);
    if (env.CNI_COMMAND === "DEL") machine.rules.delete(address);
    if (env.CNI_COMMAND === "CHECK" && !machine.rules.has(address))
      throw new PluginError(`firewall: no rule for ${address}`);
    point("rule");
  }
  return env.CNI_COMMAND === "ADD" ? (config.prevResult as JsonObject) : undefined;
}

/** Reserves the address that is asked for, else the one after the last (plugins/ipam/host-local/backend/allocator). */
function reserve(machine: Machine, { env, config }: PluginCall, point: Point): string {
  if (ownLeases(machine, env, config).length > 0) throw new PluginError("duplicate allocation is not allowed");
  const directory = `${leaseDirectory}/${config.name}`;
  const subnet = String((config.ipam as JsonObject).subnet).replace(/0\/24$/, "");
  const isFree = (last: number) => !machine.files.has(`${directory}/${subnet}${last}`);
  const last =
    askedFor(config) ?? nextAfter(Number(machine.files.get(`${directory}/last_reserved_ip.0`)?.text ?? 1), isFree);
  if (!isFree(last)) throw new PluginError(`requested IP address ${subnet}${last} is not available`);
  machine.writeFile(`${directory}/${subnet}${last}`, `${env.CNI_CONTAINERID}\r\n${env.CNI_IFNAME}`);
  point("reserved");
  machine.writeFile(`${directory}/last_reserved_ip.0`, String(last));
  return `${subnet}${last}/24`;
}

function askedFor({ args }: JsonObject): number | undefined {
  const cni = isJsonObject(args) ? args.cni : undefined;
  const ips = isJsonObject(cni) ? cni.ips : undefined;
  return Array.isArray(ips) ? Number(/(\d+)(\/24)?$/.exec(String(ips[0]))?.[1]) : undefined;
}

/** The last number of a subnet. So few that a container soon gets an address that another one had. */
const lastAddress = 8;

function nextAfter(last: number, isFree: (last: number) => boolean): number {
  for (let next = last + 1; next <= lastAddress; next++) if (isFree(next)) return next;
  for (let next = 2; next <= Math.min(last, lastAddress); next++) if (isFree(next)) return next;
  throw new PluginError("no IP addresses available in range set");
}

function release(machine: Machine, { env, config }: PluginCall): void {
  for (const file of ownLeases(machine, env, config)) machine.files.delete(file);
}

function ownLeases(machine: Machine, env: PluginCall["env"], { name }: JsonObject): string[] {
  const owner = `${env.CNI_CONTAINERID}\r\n${env.CNI_IFNAME}`;
  const directory = `${leaseDirectory}/${name}`;
  return machine
    .list(directory)
    .map((file) => `${directory}/${file}`)
    .filter((file) => machine.files.get(file)?.text === owner);
}
