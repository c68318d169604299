import type { ArgsOption } from "../protocol/options.ts";

/** The keys of CNI_ARGS that ask for the runtime's own interface, not for a renamed one. */
const addressRequests: readonly string[] = ["IP", "MAC"];

/**
 * Returns the CNI_ARGS of a delegate: without the requests for another interface, and with those that `wrapper.args` takes
 * from other keys, if the runtime sets them. All other pairs are unchanged.
 */
export function argsOf(args: string, option: ArgsOption | undefined, renamed: boolean): string {
  if (option === "keep" || (option === undefined && !(renamed && mayAsk(args)))) return args;
  const mapped = Object.entries(option ?? {});
  const replaced = [...(renamed ? addressRequests : []), ...mapped.map(([key]) => key)];
  const pairs = args.split(";");
  const kept = pairs.filter((pair) => !replaced.includes(keyOf(pair)) || !pair.includes("="));
  const given = mapped.flatMap(([key, from]) => {
    const value = lastValue(pairs, from);
    return value ? [`${key}=${value}`] : [];
  });
  return [...kept, ...given].join(";");
}

// A quick check, because nearly no call has such a request.
function mayAsk(args: string): boolean {
  return args.includes("IP=") || args.includes("MAC=");
}

function keyOf(pair: string): string {
  return pair.split("=", 1)[0] ?? "";
}

// Go plugins use the last value.
function lastValue(pairs: readonly string[], key: string): string | undefined {
  return pairs
    .filter((pair) => pair.startsWith(`${key}=`))
    .at(-1)
    ?.slice(key.length + 1);
}
