import { addressIn } from "../../shared/attachment/subnet.ts";
import { leaseDirectory } from "../../shared/journal/host-files.ts";
import { isJsonObject, type JsonObject, objectOf, objectsOf } from "../../shared/protocol/json.ts";
import { lastElement } from "../../shared/protocol/names.ts";
import { isUnchainedVersion } from "../../shared/protocol/result.ts";
import {
  type Address,
  addressOf,
  addressText,
  cidrOf,
  contains,
  type FilledRange,
  isInRange,
  networkOf,
  overlaps,
  type Range,
  rangeOf,
} from "../lists/addresses.ts";
import { decodeProblem, jsonType, mismatch } from "./decode.ts";
import type { Machine } from "./machine.ts";
import type { Leased } from "./network.ts";
import { namesOf, type PluginCall, PluginError, type Steps } from "./plugin.ts";

/** Writes a range as host-local does. */
function rangeText({ bits, first, last }: Range): string {
  return `${addressText({ bits, value: first })}-${addressText({ bits, value: last })}`;
}

const known = new WeakMap<JsonObject, readonly (readonly FilledRange[])[]>();

/** Returns host-local's sets of ranges, with its own errors (backend/allocator/config.go, LoadIPAMConfig). */
export function rangesOf({ cniVersion, ipam, runtimeConfig }: JsonObject): readonly (readonly FilledRange[])[] {
  if (!isJsonObject(ipam)) throw new PluginError("IPAM config missing 'ipam' key");
  const found = known.get(ipam);
  if (found) return found;
  expectRanges(ipam.ranges);
  expectRoutes(ipam.routes);
  const given = isJsonObject(runtimeConfig) && Array.isArray(runtimeConfig.ipRanges) ? runtimeConfig.ipRanges : [];
  const short = ipam.subnet === undefined ? [] : [[ipam]];
  const written = [...given, ...short, ...(Array.isArray(ipam.ranges) ? ipam.ranges : [])];
  if (written.length === 0) throw new PluginError("no IP ranges specified");
  const sets = written.map((set, index) => setOf(objectsOf(set), index));
  expectOneAddress(
    cniVersion,
    sets.map(([range]) => range?.bits),
  );
  for (const [index, set] of sets.entries()) {
    const later = sets
      .slice(index + 1)
      .findIndex((other) => set.some((one) => other.some((two) => overlaps(one, two))));
    if (later >= 0) throw new PluginError(`range set ${index} overlaps with ${index + later + 1}`);
  }
  known.set(ipam, sets);
  return sets;
}

/** A result of 0.1.0 or 0.2.0 has one address of each family. */
function expectOneAddress(cniVersion: unknown, families: readonly unknown[]): void {
  const version = String(cniVersion ?? "");
  if (!isUnchainedVersion(version) || new Set(families).size === families.length) return;
  throw new PluginError(`CNI version ${version} does not support more than 1 address per family`);
}

function expectRanges(ranges: unknown): void {
  const flat = Array.isArray(ranges) ? ranges.find((set) => set !== null && !Array.isArray(set)) : undefined;
  if (flat === undefined) return;
  throw new PluginError(decodeProblem([jsonType(flat), "allocator.RangeSet"], "IPAMConfig.ipam.ranges"));
}

/** Fails if a route of an IPAM block cannot be read (cni/pkg/types, Route). */
function expectRoutes(routes: unknown): void {
  for (const route of objectsOf(routes)) {
    const { dst, gw } = route;
    for (const key of ["mtu", "advmss", "priority", "table", "scope"]) {
      const problem = mismatch(route[key], "int");
      if (problem) throw new PluginError(decodeProblem(problem, `IPAMConfig.ipam.routes.${key}`));
    }
    if (dst !== undefined && !cidrOf(dst)) throw new PluginError(`invalid CIDR address: ${dst}`);
    if (gw && !addressOf(gw)) throw new PluginError(`invalid IP address: ${gw}`);
  }
}

function setOf(set: readonly JsonObject[], index: number): readonly FilledRange[] {
  const fail = (reason: string): never => {
    throw new PluginError(`invalid range set ${index}: ${reason}`);
  };
  if (set.length === 0) fail("empty range set");
  const ranges = set.map((range) => filled(range, fail));
  if (ranges.some(({ bits }) => bits !== ranges[0]?.bits)) fail("mixed address families");
  for (const [place, one] of ranges.entries()) {
    const other = ranges.slice(place + 1).find((two) => overlaps(one, two));
    if (other) fail(`subnets ${rangeText(one)} and ${rangeText(other)} overlap`);
  }
  return ranges;
}

/** Fills in what is missing (backend/allocator/range.go, Canonicalize). */
function filled(range: JsonObject, fail: (reason: string) => never): FilledRange {
  for (const key of ["rangeStart", "rangeEnd", "gateway"]) {
    // For Go, null and an empty text are no address.
    const value = range[key] || undefined;
    if (value !== undefined && !addressOf(value)) throw new PluginError(`invalid IP address: ${value}`);
  }
  if (range.subnet === undefined) return fail("IP <nil> not v4 nor v6");
  const subnet = cidrOf(range.subnet);
  if (!subnet) throw new PluginError(`invalid CIDR address: ${range.subnet}`);
  const { bits, length } = subnet;
  const network = networkOf(subnet);
  const text = `${addressText(subnet)}/${length}`;
  if (length > bits - 2) return fail(`Network ${text} too small to allocate from`);
  if (network !== subnet.value) {
    const own = addressText({ bits, value: network });
    return fail(`Network has host bits set. For a subnet mask of length ${length} the network address is ${own}`);
  }
  const given = addressOf(range.gateway);
  if (given && !contains(subnet, given)) return fail(`gateway ${addressText(given)} not in network ${text}`);
  const gateway = given?.value ?? network + 1n;
  const { last } = rangeOf(subnet);
  const [start, end] = [addressOf(range.rangeStart), addressOf(range.rangeEnd)];
  // The end counts, too, if it is given: a start after it is not in the network.
  const isIn = (one: Address, limit: Address | undefined) =>
    contains(subnet, one) && !(limit && one.value > limit.value);
  if (start && !isIn(start, end)) return fail(`RangeStart ${addressText(start)} not in network ${text}`);
  const first = start?.value ?? network + 1n;
  if (end && (!contains(subnet, end) || end.value < first)) {
    return fail(`RangeEnd ${addressText(end)} not in network ${text}`);
  }
  const lastOne = end?.value ?? (bits === 32 ? last - 1n : last);
  if (first <= lastOne) return { bits, length, gateway, first, last: lastOne };
  const [from, to] = [first, lastOne].map((value) => addressText({ bits, value }));
  return fail(`RangeStart ${from} is after RangeEnd ${to} in network ${text}`);
}

/** An IPAM plugin. It has a plugin's verbs, but only addresses. */
export interface Ipam {
  reserve(machine: Machine, call: PluginCall): Steps<Leased>;
  check(machine: Machine, call: PluginCall): void;
  release(machine: Machine, call: PluginCall): void;
}

/** Returns the IPAM plugin of a configuration. */
export function ipamOf(config: JsonObject): Ipam {
  const { type = "" } = ipamBlock(config);
  const ipam = ipams[String(type)];
  if (ipam) return ipam;
  throw new PluginError(
    type === "" ? "no plugin name provided" : `failed to find plugin "${type}" in path [/opt/cni/bin]`,
  );
}

/** Whether a configuration names an IPAM plugin. */
export function hasIpam(config: JsonObject): boolean {
  return (ipamBlock(config).type ?? "") !== "";
}

/** The simulation adds one of its own. */
export const ipams: Record<string, Ipam> = {
  "host-local": {
    *reserve(machine, call) {
      const sets = rangesOf(call.config);
      const asked = askedFor(call).map((text) => addressIn(text));
      const own = ownLeases(machine, call).map(lastElement);
      const ips = [];
      try {
        for (const [index, set] of sets.entries()) {
          const place = asked.findIndex((one) => set.some((range) => isInRange(range, addressOf(one))));
          const [wanted] = place < 0 ? [] : asked.splice(place, 1);
          ips.push(get(machine, call, { set, index, wanted, own }));
          yield "reserved";
        }
        if (asked.length > 0) throw new PluginError(`failed to allocate all requested IPs: ${asked.join(" ")}`);
      } catch (error) {
        // It releases what the sets before gave.
        if (ips.length > 0 && error instanceof PluginError) ipams["host-local"]?.release(machine, call);
        throw error;
      }
      return { ips, routes: routesOf(call.config) };
    },
    check(machine, call) {
      rangesOf(call.config);
      if (ownLeases(machine, call).length > 0) return;
      throw new PluginError(`host-local: Failed to find address added by container ${namesOf(call).containerId}`);
    },
    release(machine, call) {
      rangesOf(call.config);
      for (const file of ownLeases(machine, call)) machine.files.delete(file);
    },
  },
  static: {
    *reserve(_, call) {
      const { addresses, routes } = ipamBlock(call.config);
      const other = Array.isArray(addresses) ? addresses.find((one) => !isJsonObject(one)) : undefined;
      if (other) throw new PluginError(decodeProblem([jsonType(other), "main.Address"], "IPAMConfig.ipam.addresses"));
      expectRoutes(routes);
      const asked = askedFor(call).map((address): JsonObject => ({ address }));
      const listed = asked.length > 0 ? asked : objectsOf(addresses);
      const ips = listed.map(({ address, gateway }) => {
        if (!/\/\d+$/.test(String(address))) {
          throw new PluginError(`the 'address' field is expected to be in CIDR notation, got: '${address ?? ""}'`);
        }
        return { address: String(address), ...(Boolean(gateway) && { gateway: String(gateway) }) };
      });
      expectOneAddress(
        call.config.cniVersion,
        ips.map((ip) => ip.address.includes(":")),
      );
      return { ips, routes: routesOf(call.config) };
    },
    check(_, { config }) {
      if (!isJsonObject(config.prevResult)) throw new PluginError("Required prevResult missing");
    },
    release() {},
  },
};

/** The set of ranges that an address is taken from, its number, the address that was asked for, and those that are leased. */
interface Wanted {
  readonly set: readonly FilledRange[];
  readonly index: number;
  readonly wanted: string | undefined;
  readonly own: readonly string[];
}

/** Reserves an address of a set (plugins/ipam/host-local/backend/allocator/allocator.go, Get). */
function get(machine: Machine, call: PluginCall, { set, index, wanted, own }: Wanted) {
  const { containerId, ifName } = namesOf(call);
  const fail = (reason: string): never => {
    throw new PluginError(`failed to allocate for range ${index}: ${reason}`);
  };
  // An address that is asked for may be a second one: only the others are refused.
  const held = own.find((address) => set.some((range) => isInRange(range, addressOf(address))));
  if (wanted === undefined && held) {
    fail(`${held} has been allocated to ${containerId}, duplicate allocation is not allowed`);
  }
  const directory = directoryOf(call);
  const pools = machine.isOnePool ? machine.list(leaseDirectory).map((name) => `${leaseDirectory}/${name}`) : [];
  const isFree = (address: string) => [directory, ...pools].every((one) => !machine.files.has(`${one}/${address}`));
  const last = machine.files.get(`${directory}/last_reserved_ip.${index}`)?.text;
  const texts = set.map(rangeText).join(",");
  const range = set.find((one) => wanted && isInRange(one, addressOf(wanted)));
  if (range && addressOf(wanted)?.value === range.gateway) fail(`requested ip ${wanted} is subnet's gateway`);
  if (wanted && !isFree(wanted)) fail(`requested IP address ${wanted} is not available in range set ${texts}`);
  const found = range ? { address: String(wanted), range } : nextFree(set, last, isFree);
  if (!found) return fail(`no IP addresses available in range set: ${texts}`);
  machine.writeFile(`${directory}/${found.address}`, `${containerId}\r\n${ifName}`);
  machine.writeFile(`${directory}/last_reserved_ip.${index}`, found.address, true);
  const gateway = addressText({ bits: found.range.bits, value: found.range.gateway });
  return { address: `${found.address}/${found.range.length}`, gateway };
}

/** Returns the next free address after the last one, as host-local goes round all ranges of a set. */
export function nextFree(set: readonly FilledRange[], last: string | undefined, isFree: (address: string) => boolean) {
  const before = addressOf(last);
  const place = set.findIndex((range) => isInRange(range, before));
  const start = Math.max(place, 0);
  for (let turn = 0; turn <= set.length; turn++) {
    const range = set[(start + turn) % set.length] as FilledRange;
    const isFirst = turn === 0 && before !== undefined && isInRange(range, before);
    for (let value = isFirst ? before.value + 1n : range.first; value <= range.last; value++) {
      const address = addressText({ bits: range.bits, value });
      if (value !== range.gateway && isFree(address)) return { address, range };
    }
  }
  return undefined;
}

function directoryOf({ config }: PluginCall): string {
  const { dataDir } = ipamBlock(config);
  return `${typeof dataDir === "string" && dataDir !== "" ? dataDir.replace(/\/$/, "") : leaseDirectory}/${config.name}`;
}

function ownLeases({ files }: Machine, call: PluginCall): string[] {
  const { containerId, ifName } = namesOf(call);
  const [owner, directory] = [`${containerId}\r\n${ifName}`, `${directoryOf(call)}/`];
  return [...files].flatMap(([path, { text }]) => (text === owner && path.startsWith(directory) ? [path] : []));
}

function ipamBlock({ ipam }: JsonObject): JsonObject {
  return objectOf(ipam);
}

function routesOf(config: JsonObject): JsonObject[] {
  return objectsOf(ipamBlock(config).routes);
}

/** The addresses that CNI_ARGS, `args` and the runtime ask for. */
function askedFor({ env, config: { args, runtimeConfig } }: PluginCall): string[] {
  const [, inArgs] = /(?:^|;)IP=([^;]+)/.exec(env.CNI_ARGS ?? "") ?? [];
  const cni = isJsonObject(args) ? args.cni : undefined;
  const lists = [cni, runtimeConfig].map((one) => (isJsonObject(one) && Array.isArray(one.ips) ? one.ips : []));
  return [...(inArgs ? inArgs.split(",") : []), ...lists.flat().map(String)];
}
