import type { DelegateCall } from "../plan/call.ts";
import { CniError } from "../protocol/errors.ts";
import { applyFilter } from "./filter.ts";
import type { Session } from "./session.ts";

/** Makes the log name the delegate and its interface from now on. */
export function noteDelegate({ fields }: Session, { delegate, environment }: DelegateCall): void {
  fields.delegate = delegate;
  if (environment.CNI_IFNAME !== undefined) fields.ifName = environment.CNI_IFNAME;
}

/** The call as the delegate gets it: `wrapper.jq`, if there is one, has rewritten its configuration. */
export function prepareCall(session: Session, call: DelegateCall): DelegateCall {
  return call.filter ? applyFilter(session, call, call.filter) : call;
}

/** The text for the delegate's stdin; undefined if it gets the runtime's own. */
export function inputOf({ configuration }: DelegateCall): string | undefined {
  try {
    return JSON.stringify(configuration);
  } catch {
    throw new CniError("undecodableInput", "", "it is nested too deeply");
  }
}
