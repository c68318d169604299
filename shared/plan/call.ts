import type { JsonObject } from "../protocol/json.ts";
import { lenientVerbs, type Request } from "../protocol/request.ts";
import type { CniResult } from "../protocol/result.ts";
import { argsOf } from "./cni-args.ts";
import { withOwnPorts } from "./ports.ts";
import type { Target } from "./target.ts";

/** One run of the delegate: which, with which variables changed, and with what on stdin. */
export interface DelegateCall {
  readonly delegate: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The plugin configuration; without one, stdin is handed on as it came. */
  readonly configuration?: JsonObject;
  /** The jq program that the configuration is put through before. */
  readonly filter?: Filter;
}

export interface Filter {
  readonly program: string;
  /** The delegate is run all the same if the program fails. */
  readonly mayFail: boolean;
}

/** The prevResult that a delegate is to see: none, the one that came, or a narrowed one. */
export type ShownPrevResult = "none" | "as it came" | CniResult;

/**
 * The delegate's own call: `type` is the delegate's, `name` its network, the `wrapper` block is gone; the variables change
 * where the interface is renamed, or where `wrapper.args` and `wrapper.ports` say so. Every other key and variable is what the
 * runtime gave.
 */
export function delegateCall(request: Request, target: Target, shown: ShownPrevResult = "as it came"): DelegateCall {
  const { wrapper: _, prevResult, ...rest } = request.configuration;
  const configuration: JsonObject = { ...rest, type: target.delegate, name: target.network };
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

/** The DEL that takes down what this ADD set up. */
export function delOf(call: DelegateCall): DelegateCall {
  return { ...call, environment: { ...call.environment, CNI_COMMAND: "DEL" } };
}

// What a DEL removes may have been published when `wrapper.ports` was another: portmap's DEL does nothing without a port.
function withPorts(configuration: JsonObject, { command, wrapper: { ports } }: Request): JsonObject {
  return ports === undefined || command === "DEL" ? configuration : withOwnPorts(configuration, ports);
}

function changedVariables({ variables, wrapper }: Request, { renamed, selector }: Target): Record<string, string> {
  if (variables.ifName === "") return {};
  const args = argsOf(variables.args, wrapper.args, renamed);
  return { ...(renamed && { CNI_IFNAME: selector.ifName }), ...(args !== variables.args && { CNI_ARGS: args }) };
}
