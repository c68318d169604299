import { isSameInGo, type JsonObject } from "../protocol/json.ts";
import { lenientVerbs, type Request } from "../protocol/request.ts";
import type { CniResult } from "../protocol/result.ts";
import { argsOf } from "./cni-args.ts";
import { withOwnPorts } from "./ports.ts";
import type { Target } from "./target.ts";

/** One run of the delegate: its type, the variables that change, and its stdin. */
export interface DelegateCall {
  readonly delegate: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The plugin configuration for stdin. Without one, the delegate gets the runtime's stdin. */
  readonly configuration?: JsonObject;
  /** The jq program that rewrites the configuration first. */
  readonly filter?: Filter;
}

/** A jq program from `wrapper.jq`. */
export interface Filter {
  readonly program: string;
  /** If the program fails, the delegate still runs, with the original configuration. */
  readonly mayFail: boolean;
}

/** What a delegate's call is made from. */
export interface Subject {
  readonly request: Request;
  readonly target: Target;
}

/** The prevResult that a delegate gets: none, the runtime's, or a narrowed one. */
export type ShownPrevResult = "none" | "as it came" | CniResult;

/**
 * Returns the delegate's call. `type` is the delegate's, `name` is its network, and the `wrapper` block is gone. Variables
 * change only if the interface is renamed or `wrapper.args` is set, port mappings only if `wrapper.ports` is set. All other
 * keys and variables are the runtime's.
 */
export function delegateCall({ request, target }: Subject, shown: ShownPrevResult = "as it came"): DelegateCall {
  const { wrapper: _, prevResult, ...rest } = request.configuration;
  const configuration: JsonObject = rest;
  configuration.type = target.delegate;
  configuration.name = target.network;
  // A plugin in Go would read such a key as prevResult. The runtime's own is never spelled like that.
  for (const key in rest) if (key.length === 10 && isSameInGo(key, "prevresult")) delete configuration[key];
  if (typeof shown === "object") configuration.prevResult = shown;
  else if (shown === "as it came" && prevResult !== undefined) configuration.prevResult = prevResult;
  const call = {
    delegate: target.delegate,
    environment: changedVariables(request, target),
    configuration: withPorts(configuration, request),
  };
  const { jq } = request.wrapper;
  return jq === undefined
    ? call
    : { ...call, filter: { program: jq, mayFail: lenientVerbs.includes(request.command) } };
}

// `wrapper.ports` may have changed since ADD, so DEL gets all ports: portmap's DEL does nothing without a port.
function withPorts(configuration: JsonObject, { command, wrapper: { ports } }: Request): JsonObject {
  return ports === undefined || command === "DEL" ? configuration : withOwnPorts(configuration, ports);
}

function changedVariables({ variables, wrapper }: Request, { renamed, selector }: Target): Record<string, string> {
  if (variables.ifName === "") return {};
  const args = argsOf(variables.args, wrapper.args, renamed);
  const changed: Record<string, string> = {};
  if (renamed) changed.CNI_IFNAME = selector.ifName;
  if (args !== variables.args) changed.CNI_ARGS = args;
  return changed;
}
