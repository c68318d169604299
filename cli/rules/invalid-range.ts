import type { JSONPath } from "jsonc-parser";
import type { JsonObject } from "../../shared/protocol/json.ts";
import type { ListRule } from "../lint/rule.ts";
import { addressOf, addressText, type Cidr, cidrOf, contains, networkOf } from "../lists/addresses.ts";
import { isRewritten } from "../lists/chain.ts";
import { rangeSetsOf, type WrittenRange } from "../lists/ipam.ts";
import { valueAt } from "../lists/list-file.ts";

/** host-local refuses ranges that contradict themselves. */
export const invalidRange: ListRule = {
  of: "list",
  code: "invalid-range",
  severity: "error",
  title: "host-local refuses a range.",
  page: `host-local checks its ranges on every call, and ADD fails with \`invalid range set\`. \`subnet\` is the address of the
network (\`172.16.5.0/24\`, not \`172.16.5.7/24\`). It has room for at least two addresses. \`rangeStart\` and \`rangeEnd\` are
in the subnet, in this order. The ranges of one set have one IP version, and no two ranges overlap.`,
  find({ file, plugins }) {
    return plugins
      .filter((plugin) => !isRewritten(plugin))
      .flatMap((plugin) => {
        const problem = problemOf(rangeSetsOf(plugin));
        if (problem === undefined) return [];
        const { path, message, hint } = problem;
        return [{ place: valueAt(file, path), message, hint }];
      });
  },
};

/** What host-local would report first. */
interface Problem {
  readonly path: JSONPath;
  readonly message: string;
  readonly hint: string;
}

function problemOf(sets: readonly (readonly WrittenRange[])[]): Problem | undefined {
  const all: { subnet: Cidr; first: bigint; last: bigint; set: number }[] = [];
  for (const [set, ranges] of sets.entries()) {
    for (const { path, range } of ranges) {
      const subnet = cidrOf(range.subnet);
      // Another rule reports the wrong value, or the missing one.
      if (subnet === undefined) return undefined;
      const problem = subnetProblem(subnet, range) ?? endProblem(subnet, range);
      if (problem) return { ...problem, path: [...path, problem.key] };
      const network = networkOf(subnet);
      const first = addressOf(range.rangeStart)?.value ?? network + 1n;
      const last =
        addressOf(range.rangeEnd)?.value ??
        network + (1n << BigInt(subnet.bits - subnet.length)) - (subnet.bits === 32 ? 2n : 1n);
      const own = { path: [...path, "subnet"] };
      const mixed = all.find((other) => other.set === set && other.subnet.bits !== subnet.bits);
      if (mixed)
        return {
          ...own,
          message: "a set of ranges has IPv4 and IPv6",
          hint: "Put each into its own set: [[{...}], [{...}]]",
        };
      const overlap = all.find(
        (other) => other.subnet.bits === subnet.bits && other.first <= last && first <= other.last,
      );
      if (overlap)
        return {
          ...own,
          message: "the range overlaps an earlier range of this plugin",
          hint: "Remove one of them, or change its ends",
        };
      all.push({ subnet, first, last, set });
    }
  }
  return undefined;
}

type KeyProblem = Omit<Problem, "path"> & { readonly key: string };

function subnetProblem(subnet: Cidr, range: JsonObject): KeyProblem | undefined {
  const { bits, length } = subnet;
  if (length > bits - 2) {
    return {
      key: "subnet",
      message: `${range.subnet} is too small to give out addresses`,
      hint: `Use a prefix of at most /${bits - 2}, or the IPAM plugin static`,
    };
  }
  const network = networkOf(subnet);
  if (network === subnet.value) return undefined;
  const right = `${addressText({ bits, value: network })}/${length}`;
  return { key: "subnet", message: `${range.subnet} is not the address of a network`, hint: `Write "${right}"` };
}

function endProblem(subnet: Cidr, range: JsonObject): KeyProblem | undefined {
  const [start, end] = [addressOf(range.rangeStart), addressOf(range.rangeEnd)];
  for (const [key, address] of [
    ["rangeStart", start],
    ["rangeEnd", end],
  ] as const) {
    if (address && !contains(subnet, address)) {
      return { key, message: `${key} ${range[key]} is not in ${range.subnet}`, hint: "Use an address of the subnet" };
    }
  }
  const isReversed = start && end && start.value > end.value;
  return isReversed
    ? { key: "rangeEnd", message: "rangeEnd comes before rangeStart", hint: "Exchange the two" }
    : undefined;
}
