import { CniError, errorResult } from "../protocol/errors.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { Request } from "../protocol/request.ts";
import type { Records } from "../record/record.ts";
import { planAdd } from "./add.ts";
import { delegateCall } from "./call.ts";
import { planCheck } from "./check.ts";
import { planDel } from "./del.ts";
import { planGc } from "./gc.ts";
import { misplacedKeys, withWarnings } from "./misplaced.ts";
import type { Plan } from "./plan.ts";
import { planHandOver } from "./plan-hand-over.ts";
import type { Profiles } from "./profile.ts";
import { hasSuspectKey } from "./suspect-key.ts";
import { delegateName, type Target, targetOf } from "./target.ts";

/** Plans VERSION: the delegate's answer, or the wrapper's own if the executable's name does not name a delegate. */
export function planVersion(calledAs: string): Plan {
  const delegate = delegateName(calledAs);
  if (delegate === undefined) return { do: "printVersions" };
  return { ...planHandOver({ delegate, environment: {} }), withoutDelegate: "ownVersions" };
}

/** Plans a call with a plugin configuration. Everything is decided here, before anything is done. */
export function planRequest(request: Request, calledAs: string, profiles: Profiles, records: Records): Plan {
  try {
    const target = targetOf(request, calledAs, profiles);
    const misplaced = misplacedIn(request.configuration, target);
    if (request.command === "ADD" && misplaced[0]) throw misplaced[0];
    const plan = planVerb(request, target, profiles, records);
    return misplaced.length > 0 ? withWarnings(plan, misplaced) : plan;
  } catch (error) {
    if (!(error instanceof CniError)) throw error;
    return { do: "fail", error: errorResult(error, request.configuration.cniVersion) };
  }
}

function planVerb(request: Request, target: Target, profiles: Profiles, records: Records): Plan {
  switch (request.command) {
    case "ADD":
      return planAdd(request, target, records);
    case "CHECK":
      return planCheck(request, target, records);
    case "DEL":
      return planDel(request, target, profiles, records);
    case "GC":
      return planGc(request, target, profiles, records);
    case "STATUS":
      return { ...planHandOver(delegateCall(request, target)), withoutDelegate: "unavailable" };
    default:
      return request.command satisfies never;
  }
}

function misplacedIn(configuration: JsonObject, { profile }: Target): readonly CniError[] {
  return hasSuspectKey(configuration) ? misplacedKeys(configuration, profile !== undefined) : [];
}
