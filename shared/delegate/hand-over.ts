import type { Host } from "../host/host.ts";
import type { DelegateCall } from "../plan/call.ts";
import type { Effect, HandOver } from "../plan/plan.ts";
import { piecesOf } from "../protocol/unread.ts";
import { type RoutingPlan, routingFile } from "../record/record.ts";
import { withoutFloatingMacIn } from "./check-mac.ts";
import { findDelegate } from "./find-delegate.ts";
import { missingDelegate } from "./missing-delegate.ts";
import { checkRouting } from "./moved-routes.ts";
import { inputOf, noteDelegate, prepareCall } from "./prepare-call.ts";
import { printVersions } from "./print.ts";
import { collectGarbage, runInTurn } from "./remove.ts";
import { runDelegate } from "./run-delegate.ts";
import { type Session, say } from "./session.ts";

/**
 * Replaces this process with the delegate. Spawns the delegate instead if exec is impossible, if there is a fallback, or if
 * there is a log: the log says how the call ended. Returns the exit code.
 */
export function handOver(session: Session, plan: HandOver): number {
  const { host } = session;
  noteDelegate(session, plan.call);
  const path = findDelegate(host, plan.call.delegate);
  if (path === undefined) return answerWithoutDelegate(session, plan);
  let calls: Calls = plan;
  for (const effect of plan.effects) calls = actOn(session, effect, calls);
  const { call, fallback } = calls;
  if (fallback) return runInTurn(session, path, call, fallback);
  if (session.log.file === undefined) {
    const { configuration } = call;
    host.tryExec(path, call.environment, session.hasUnread && configuration ? piecesOf(configuration) : inputOf(call));
  }
  const answer = runDelegate(session, path, call);
  answer.stdout.print();
  return answer.exitCode;
}

/** The call, and its fallback if it has one. */
type Calls = Pick<HandOver, "call" | "fallback">;

function actOn(session: Session, effect: Effect, calls: Calls): Calls {
  const { host } = session;
  switch (effect.do) {
    case "warn":
      say(session, "warn", effect.message);
      return calls;
    case "applyFilter":
      return changeCalls(calls, (call) => prepareCall(session, call));
    case "collectGarbage":
      collectGarbage(session, effect.garbage);
      return calls;
    case "compareFixedMac":
      return changeCalls(calls, (call) => withoutFloatingMacIn(host, call, effect.mac));
    case "followMovedRoutes":
      return followRoutes(host, effect.routing, calls);
    default:
      return effect satisfies never;
  }
}

function followRoutes(host: Host, plan: RoutingPlan, calls: Calls): Calls {
  const record = host.readFile(routingFile(plan.key));
  return record === undefined ? calls : changeCalls(calls, (call) => checkRouting(host, call, plan, record));
}

function changeCalls({ call, fallback }: Calls, change: (call: DelegateCall) => DelegateCall): Calls {
  return fallback ? { call: change(call), fallback: change(fallback) } : { call: change(call) };
}

function answerWithoutDelegate(session: Session, { call, effects, withoutDelegate }: HandOver): number {
  if (withoutDelegate === "ownVersions") return printVersions(session.host);
  for (const effect of effects) if (effect.do === "warn") say(session, "warn", effect.message);
  throw missingDelegate(session.host, call.delegate, withoutDelegate);
}
