import { goLookup, ipamOf, type JsonObject } from "../../shared/protocol/json.ts";
import type { FoundAt, ListRule } from "../lint/rule.ts";
import {
  addressOf,
  addressText,
  type Cidr,
  cidrOf,
  contains,
  networkOf,
  overlaps,
  type Range,
} from "../lists/addresses.ts";
import { filledRange, ipamTypeOf, isStrict, rangeSetsOf, type WrittenRange } from "../lists/ipam.ts";
import { hasCapability, isRewritten, type ListedPlugin } from "../lists/list.ts";

export const invalidRange: ListRule = {
  title: "host-local refuses a range.",
  page: `host-local checks its ranges on every call, and ADD fails with \`invalid range set\`. \`subnet\` is the address of the
network (\`172.16.5.0/24\`, not \`172.16.5.7/24\`). It has room for at least two addresses. \`rangeStart\` and \`rangeEnd\` are
in the subnet, in this order. From 1.10.0 on, \`gateway\` is in the subnet, too: after an upgrade of the plugins, CHECK and DEL
of running containers also fail. With \`--cni-path\`, lint asks host-local for its version. The ranges of one set have one IP version, and no two ranges overlap. Without any range, ADD
fails with \`no IP ranges specified\`. host-local does not give out the gateway, so a range needs another address.`,
  findInList(list, { plugins }) {
    const strict = isStrict(plugins);
    return list.plugins.flatMap((plugin) =>
      isRewritten(plugin) ? [] : (noRange(plugin) ?? problemOf(rangeSetsOf(plugin), strict) ?? []),
    );
  },
};

/** flannel and unknown plugins may add a range themselves, and so may a runtime that is asked for it. */
function noRange(plugin: ListedPlugin): FoundAt | undefined {
  const { configuration, path, profile } = plugin;
  const ipam = ipamOf(configuration);
  const ranges = goLookup(ipam, "ranges") ?? [];
  const hasRange = goLookup(ipam, "subnet") !== undefined || !Array.isArray(ranges) || ranges.length > 0;
  const isGiven = !profile || hasCapability(plugin, "ipRanges");
  if (ipamTypeOf(configuration) !== "host-local" || hasRange || isGiven) return undefined;
  return { at: [...path, "ipam"], message: "host-local has no range", hint: 'Add "ranges": [[{ "subnet": "..." }]]' };
}

/** What host-local would report first. */
function problemOf(sets: readonly (readonly WrittenRange[])[], strict: boolean): FoundAt | undefined {
  const earlier: (Range & { readonly set: number })[] = [];
  for (const [set, ranges] of sets.entries()) {
    for (const { path, range: written } of ranges) {
      const [subnet, range] = [cidrOf(written.subnet), filledRange(written)];
      // Another rule reports the wrong value, or the missing one.
      if (!subnet || !range) return undefined;
      const problem =
        subnetProblem(subnet, written) ??
        (strict ? gatewayProblem(subnet, written) : undefined) ??
        endProblem(subnet, written) ??
        (strict ? emptyProblem(written, range) : undefined);
      if (problem) return { ...problem, at: [...path, ...problem.at] };
      const at = [...path, "subnet"];
      const hint = "Put each into its own set: [[{...}], [{...}]]";
      if (earlier.some((other) => other.set === set && other.bits !== range.bits))
        return { at, message: "a set of ranges has IPv4 and IPv6", hint };
      const message = "the range overlaps an earlier range of this plugin";
      if (earlier.some((other) => overlaps(other, range)))
        return { at, message, hint: "Remove one of them, or change its ends" };
      if (ranges.length === 1 && range.first === range.last && range.first === range.gateway)
        return { at, message: "the only address of the range is its gateway", hint: "Add addresses to the range" };
      earlier.push({ ...range, set });
    }
  }
  return undefined;
}

function subnetProblem(subnet: Cidr, range: JsonObject): FoundAt | undefined {
  const { bits, length } = subnet;
  if (length > bits - 2) {
    return {
      at: ["subnet"],
      message: `${range.subnet} is too small to give out addresses`,
      hint: `Use a prefix of at most /${bits - 2}, or the IPAM plugin static`,
    };
  }
  const network = networkOf(subnet);
  if (network === subnet.value) return undefined;
  const right = `${addressText({ bits, value: network })}/${length}`;
  return { at: ["subnet"], message: `${range.subnet} is not the address of a network`, hint: `Write "${right}"` };
}

function gatewayProblem(subnet: Cidr, range: JsonObject): FoundAt | undefined {
  const gateway = addressOf(range.gateway);
  if (!gateway || contains(subnet, gateway)) return undefined;
  const message = `the gateway ${range.gateway} is not in ${range.subnet}, and host-local 1.10.0 and later refuse it`;
  return { at: ["gateway"], message, hint: "Use an address of the subnet, or delete gateway" };
}

/** The last address of an IPv4 subnet is its broadcast address, and no range ends there by itself. */
function emptyProblem(range: JsonObject, { first, last }: Range): FoundAt | undefined {
  if (first <= last) return undefined;
  const message = `no address is between rangeStart ${range.rangeStart} and the end of ${range.subnet}`;
  return { at: ["rangeStart"], message, hint: "Use an earlier address" };
}

function endProblem(subnet: Cidr, range: JsonObject): FoundAt | undefined {
  const ends = ["rangeStart", "rangeEnd"].map((key) => ({ key, address: addressOf(range[key]) }));
  const outside = ends.find(({ address }) => address && !contains(subnet, address));
  if (outside) {
    const message = `${outside.key} ${range[outside.key]} is not in ${range.subnet}`;
    return { at: [outside.key], message, hint: "Use an address of the subnet" };
  }
  const [start, end] = ends.map(({ address }) => address?.value);
  return start !== undefined && end !== undefined && start > end
    ? { at: ["rangeEnd"], message: "rangeEnd comes before rangeStart", hint: "Exchange the two" }
    : undefined;
}
