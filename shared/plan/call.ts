import type { JsonObject } from "../protocol/json.ts";
import { lenientVerbs, type Request } from "../protocol/request.ts";
import type { CniResult } from "../protocol/result.ts";
import type { Subject } from "./subject.ts";

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
 * where the interface is renamed. Every other key and variable is what the runtime gave.
 */
export function delegateCall(request: Request, subject: Subject, shown: ShownPrevResult = "as it came"): DelegateCall {
  const { wrapper: _, prevResult, ...rest } = request.configuration;
  const configuration: JsonObject = { ...rest, type: subject.delegate, name: subject.network };
  if (typeof shown === "object") configuration.prevResult = shown;
  else if (shown === "as it came" && prevResult !== undefined) configuration.prevResult = prevResult;
  const call = { delegate: subject.delegate, environment: changedVariables(request, subject), configuration };
  const { jq } = request.wrapper;
  return jq === undefined
    ? call
    : { ...call, filter: { program: jq, mayFail: lenientVerbs.includes(request.command) } };
}

/** The DEL that takes down what this ADD set up. */
export function delOf(call: DelegateCall): DelegateCall {
  return { ...call, environment: { ...call.environment, CNI_COMMAND: "DEL" } };
}

function changedVariables({ variables, wrapper }: Request, { renamed, name }: Subject): Record<string, string> {
  if (!renamed || variables.ifName === "") return {};
  const changed = { CNI_IFNAME: name.ifName };
  const args = wrapper.args === "keep" ? variables.args : withoutAddressRequests(variables.args);
  return args === variables.args ? changed : { ...changed, CNI_ARGS: args };
}

// IP= and MAC= ask for the runtime's own interface, not for a renamed one.
function withoutAddressRequests(args: string): string {
  return args
    .split(";")
    .filter((pair) => !/^(IP|MAC)=/.test(pair))
    .join(";");
}
