import { isJsonObject, type JsonObject, objectsOf } from "../../shared/protocol/json.ts";
import {
  type Address,
  type Range as Addresses,
  addressOf,
  addressText,
  cidrOf,
  contains,
  networkOf,
  overlaps,
  rangeOf,
} from "../lists/addresses.ts";
import { decodeProblem, jsonType, mismatch } from "./decode.ts";
import { PluginError } from "./plugin.ts";

/** A range of host-local with all that it fills in. */
export interface Range extends Addresses {
  readonly length: number;
  readonly gateway: bigint;
}

export function isInRange({ bits, first, last }: Range, address: Address | undefined): boolean {
  return address !== undefined && address.bits === bits && address.value >= first && address.value <= last;
}

/** Writes a range as host-local does. */
export function rangeText({ bits, first, last }: Range): string {
  return `${addressText({ bits, value: first })}-${addressText({ bits, value: last })}`;
}

const known = new WeakMap<JsonObject, readonly (readonly Range[])[]>();

/** Returns host-local's sets of ranges, with its own errors (backend/allocator/config.go, LoadIPAMConfig). */
export function rangesOf({ ipam, runtimeConfig }: JsonObject): readonly (readonly Range[])[] {
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
  for (const [index, set] of sets.entries()) {
    const later = sets
      .slice(index + 1)
      .findIndex((other) => set.some((one) => other.some((two) => overlaps(one, two))));
    if (later >= 0) throw new PluginError(`range set ${index} overlaps with ${index + later + 1}`);
  }
  known.set(ipam, sets);
  return sets;
}

function expectRanges(ranges: unknown): void {
  const flat = Array.isArray(ranges) ? ranges.find((set) => set !== null && !Array.isArray(set)) : undefined;
  if (flat === undefined) return;
  throw new PluginError(decodeProblem([jsonType(flat), "allocator.RangeSet"], "IPAMConfig.ipam.ranges"));
}

/** Fails if a route of an IPAM block cannot be read (cni/pkg/types, Route). */
export function expectRoutes(routes: unknown): void {
  for (const route of objectsOf(routes)) {
    const { dst, gw } = route;
    for (const key of ["mtu", "advmss", "priority", "table", "scope"]) {
      const problem = (route[key] ?? null) === null ? undefined : mismatch(route[key], "int");
      if (problem) throw new PluginError(decodeProblem(problem, `IPAMConfig.ipam.routes.${key}`));
    }
    if (dst !== undefined && !cidrOf(dst)) throw new PluginError(`invalid CIDR address: ${dst}`);
    if (gw && !addressOf(gw)) throw new PluginError(`invalid IP address: ${gw}`);
  }
}

function setOf(set: readonly JsonObject[], index: number): readonly Range[] {
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
function filled(range: JsonObject, fail: (reason: string) => never): Range {
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
