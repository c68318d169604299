import { withOwnDirectory } from "../plugin/profile.ts";
import { goLookup, goNames, isJsonObject, type JsonObject, objectOf } from "../protocol/json.ts";
import { type ArgsOption, type PortsOption, portRange } from "../protocol/options.ts";
import { lenientVerbs, type Request } from "../protocol/request.ts";
import type { CniResult } from "../protocol/result.ts";
import type { Call, Target } from "./call.ts";

/** One run of the delegate with the runtime's own stdin: its type, and the variables that change. */
export interface PlainCall {
  readonly delegate: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly configuration?: undefined;
  readonly filter?: undefined;
}

/** One run of the delegate: its type, the variables that change, and the plugin configuration for its stdin. */
export interface DelegateCall extends Pick<PlainCall, "delegate" | "environment"> {
  readonly configuration: JsonObject;
  /** The jq program that rewrites the configuration first. If it `mayFail`, the delegate still runs, with the original one. */
  readonly filter?: { readonly program: string; readonly mayFail: boolean };
}

/** What a delegate's call is made from. */
export type Subject = Pick<Call, "request" | "target">;

/** The prevResult that a delegate gets: none, the runtime's, or a narrowed one. */
export type ShownPrevResult = "none" | "as it came" | CniResult;

/**
 * Returns the delegate's call. `type` is the delegate's, `name` is its network, and the `wrapper` block is gone. Variables
 * change only if the interface is renamed or `wrapper.args` is set, port mappings only if `wrapper.ports` is set. A plugin in a
 * network of its own that keeps files by container gets a directory for them. All other keys and variables are the runtime's.
 */
export function delegateCall({ request, target }: Subject, shown: ShownPrevResult = "as it came"): DelegateCall {
  const { wrapper: _, prevResult, ...rest } = request.configuration;
  const configuration = withOwnDirectory(rest, target.delegate, target.network);
  configuration.type = target.delegate;
  configuration.name = target.network;
  // A plugin in Go would read such a key as prevResult. The runtime's own is never spelled like that.
  for (const name of goNames(rest, "prevResult")) delete configuration[name];
  if (typeof shown === "object") configuration.prevResult = shown;
  else if (shown === "as it came" && prevResult !== undefined) configuration.prevResult = prevResult;
  const { jq, ports } = request.wrapper;
  const call = {
    delegate: target.delegate,
    environment: changedVariables(request, target),
    // `ports` may have changed since ADD, so DEL gets all of them: portmap's DEL does nothing without a port.
    configuration:
      ports === undefined || request.command === "DEL" ? configuration : withOwnPorts(configuration, ports),
  };
  return jq === undefined
    ? call
    : { ...call, filter: { program: jq, mayFail: lenientVerbs.includes(request.command) } };
}

/** Returns the variables that are not the runtime's own: for a renamed interface, and what `wrapper.args` asks for. */
export function changedVariables(
  { variables, wrapper }: Request,
  { renamed, selector }: Target,
): Record<string, string> {
  if (variables.ifName === "") return {};
  const args = argsOf(variables.args, wrapper.args, renamed);
  const changed: Record<string, string> = {};
  if (renamed) changed.CNI_IFNAME = selector.ifName;
  if (args !== variables.args) changed.CNI_ARGS = args;
  return changed;
}

/** The keys of CNI_ARGS that ask for the runtime's own interface, not for a renamed one. */
const addressRequests: readonly string[] = ["IP", "MAC"];

/** Returns a delegate's CNI_ARGS: without requests for another interface, with those that `wrapper.args` takes from other keys. */
export function argsOf(args: string, option: ArgsOption | undefined, renamed: boolean): string {
  const unwanted = renamed ? addressRequests.filter((key) => args.includes(`${key}=`)) : [];
  // Nearly every call: taking the pairs apart would take as long as reading a journal.
  if (option === "keep" || (option === undefined && unwanted.length === 0)) return args;
  const mapped = Object.entries(option ?? {});
  const replaced = [...unwanted, ...mapped.map(([key]) => key)];
  const pairs = args.split(";");
  const kept = pairs.filter((pair) => !replaced.some((key) => pair.startsWith(`${key}=`)));
  const given = mapped.flatMap(([key, from]) => {
    // Go plugins use the last value.
    const value = pairs.findLast((pair) => pair.startsWith(`${from}=`))?.slice(from.length + 1);
    return value ? [`${key}=${value}`] : [];
  });
  return [...kept, ...given].join(";");
}

/** Returns the configuration with only the port mappings that `wrapper.ports` selects by container port. */
export function withOwnPorts(configuration: JsonObject, ports: PortsOption): JsonObject {
  const { runtimeConfig } = configuration;
  if (!isJsonObject(runtimeConfig) || !Array.isArray(runtimeConfig.portMappings)) return configuration;
  const portMappings = runtimeConfig.portMappings.filter((mapping) => isSelected(mapping, ports));
  return { ...configuration, runtimeConfig: { ...runtimeConfig, portMappings } };
}

/** Whether `wrapper.ports` selects a port mapping. Runtimes write `containerPort` or `ContainerPort`: Go accepts both. */
export function isSelected(mapping: unknown, { only, except }: PortsOption): boolean {
  const port = goLookup(objectOf(mapping), "containerPort");
  const isListed = (only ?? except ?? []).some((entry) => {
    const [first, last] = portRange(entry) ?? [1, 0];
    return typeof port === "number" && first <= port && port <= last;
  });
  return only === undefined ? !isListed : isListed;
}
