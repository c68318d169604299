import type { DelegateCall } from "../plan/call.ts";
import { jsonText } from "../protocol/json-text.ts";
import { applyFilter } from "./filter.ts";
import type { Session } from "./session.ts";

/** Adds the delegate and its interface to all later log lines. */
export function noteDelegate({ fields }: Session, { delegate, environment }: DelegateCall): void {
  fields.delegate = delegate;
  if (environment.CNI_IFNAME !== undefined) fields.ifName = environment.CNI_IFNAME;
}

/** Returns the call as the delegate gets it, after `wrapper.jq` if there is one. */
export function prepareCall(session: Session, call: DelegateCall): DelegateCall {
  return call.filter ? applyFilter(session, call, call.filter) : call;
}

/** Returns the text for the delegate's stdin; undefined if it gets the runtime's own. */
export function inputOf({ configuration }: DelegateCall): string | undefined {
  return configuration && jsonText(configuration);
}
