import type { ArgsOption } from "../protocol/options.ts";

/** The keys of CNI_ARGS that ask for the runtime's own interface, not for a renamed one. */
const addressRequests: readonly string[] = ["IP", "MAC"];

/**
 * The CNI_ARGS that a delegate gets: without the requests for another interface, and with those that `wrapper.args` takes from
 * other keys, where the runtime gives them. Every other pair stays as it is.
 */
export function argsOf(args: string, option: ArgsOption | undefined, renamed: boolean): string {
  if (option === "keep") return args;
  const mapped = Object.entries(option ?? {});
  const replaced = [...(renamed ? addressRequests : []), ...mapped.map(([key]) => key)];
  const pairs = args === "" ? [] : args.split(";");
  const kept = pairs.filter((pair) => !replaced.includes(keyOf(pair)) || !pair.includes("="));
  const given = mapped.flatMap(([key, from]) => {
    const value = lastValue(pairs, from);
    return value ? [`${key}=${value}`] : [];
  });
  return [...kept, ...given].join(";");
}

function keyOf(pair: string): string {
  return pair.split("=", 1)[0] ?? "";
}

// As Go plugins read it: the last one counts.
function lastValue(pairs: readonly string[], key: string): string | undefined {
  return pairs
    .filter((pair) => pair.startsWith(`${key}=`))
    .at(-1)
    ?.slice(key.length + 1);
}
