import { type Call, makeCall } from "../call/call.ts";
import { delegateCall } from "../call/delegate-call.ts";
import { type Plan, planHandOver } from "../call/plan.ts";
import type { Session } from "../call/session.ts";
import { delegateName } from "../call/target.ts";
import { prepareCall } from "../delegate/run-delegate.ts";
import type { Request } from "../protocol/request.ts";
import { planAdd } from "./add.ts";
import { planCheck } from "./check.ts";
import { planDel } from "./del.ts";
import { planGc } from "./gc.ts";

/** Plans VERSION: the delegate's answer, or the wrapper's own if the executable's name does not name a delegate. */
export function planVersion(calledAs: string): Plan {
  const delegate = delegateName(calledAs);
  if (delegate === undefined) return { do: "printVersions" };
  return { ...planHandOver({ delegate, environment: {} }), withoutDelegate: "ownVersions" };
}

/** Plans a call with a plugin configuration. Everything is decided here, before anything is done. */
export function planCall(call: Call): Plan {
  const { command } = call.request;
  switch (command) {
    case "ADD":
      return planAdd(call);
    case "CHECK":
      return planCheck(call);
    case "DEL":
      return planDel(call);
    case "GC":
      return planGc(call);
    case "STATUS":
      return { ...planHandOver(prepareCall(call.session, delegateCall(call))), withoutDelegate: "unavailable" };
    default:
      return command satisfies never;
  }
}

/** Makes the call of a request, and plans it. */
export function planRequest(session: Session, request: Request): { readonly call: Call; readonly plan: Plan } {
  const call = makeCall(session, request);
  return { call, plan: planCall(call) };
}
