import { isSelected } from "../../shared/call/delegate-call.ts";
import { isPorts, type PortsOption, portRange } from "../../shared/protocol/options.ts";
import type { ListedPlugin } from "./list.ts";

const highestPort = 65535;

/** The first container port that all of these plugins publish; undefined if there is none, or if a `wrapper.ports` is invalid. */
export function firstPortOf(plugins: readonly ListedPlugin[]): number | undefined {
  const chosen = plugins.filter(({ isWrapped, wrapper }) => isWrapped && wrapper.ports !== undefined);
  const options = chosen.map(({ wrapper }) => wrapper.ports as PortsOption);
  if (!options.every(isPorts)) return undefined;
  const ranges = options.flatMap(({ only, except }) => (only ?? except ?? []).map(portRange));
  // A choice begins at port 1, or where a range begins or has ended.
  const starts = [1, ...ranges.flatMap(([first, last] = [1, 0]) => [first, last + 1])].sort(
    (one, other) => one - other,
  );
  return starts.find((port) => {
    return port <= highestPort && options.every((ports) => isSelected({ containerPort: port }, ports));
  });
}
