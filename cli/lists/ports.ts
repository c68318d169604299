import { isPorts, type PortEntry, type PortsOption, portRange } from "../../shared/protocol/options.ts";
import type { ListedPlugin } from "./list.ts";

/** Ranges of container ports, without gaps or overlaps between neighbours, in ascending order. */
type PortRanges = readonly (readonly [first: number, last: number])[];

const highestPort = 65535;

/** The container ports that a wrapped plugin publishes by its `wrapper.ports`; undefined if that is invalid. */
export function portsOf({ isWrapped, wrapper }: ListedPlugin): PortRanges | undefined {
  if (!isWrapped || wrapper.ports === undefined) return [[1, highestPort]];
  if (!isPorts(wrapper.ports)) return undefined;
  const { only, except = [] } = wrapper.ports as PortsOption;
  return only ? sorted(only) : others(sorted(except));
}

/** The first port that is in both; undefined if there is none. */
export function commonPort(one: PortRanges, other: PortRanges): number | undefined {
  const starts = one.flatMap(([first, last]) => {
    const match = other.find((range) => range[0] <= last && first <= range[1]);
    return match ? [Math.max(first, match[0])] : [];
  });
  return starts[0];
}

function sorted(entries: readonly PortEntry[]): PortRanges {
  const ranges = entries.flatMap((entry) => [portRange(entry) ?? []].filter(isRange));
  return ranges.sort(([one], [other]) => one - other);
}

function isRange(range: readonly number[]): range is readonly [number, number] {
  return range.length === 2;
}

function others(ranges: PortRanges): PortRanges {
  const free: [number, number][] = [];
  let next = 1;
  for (const [first, last] of ranges) {
    if (first > next) free.push([next, first - 1]);
    next = Math.max(next, last + 1);
  }
  return next > highestPort ? free : [...free, [next, highestPort]];
}
