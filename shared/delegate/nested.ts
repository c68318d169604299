import { type HandOver, planHandOver } from "../call/plan.ts";
import type { Session } from "../call/session.ts";
import { delegateName } from "../call/target.ts";
import type { Host } from "../host/host.ts";
import { CniError } from "../protocol/errors.ts";
import { handOver } from "./hand-over.ts";
import { nestedMark } from "./run-delegate.ts";

/** Whether a wrapped plugin runs this wrapper, as flannel runs bridge. */
export function isNested({ env }: Host): boolean {
  return Object.keys(nestedMark).some((name) => env[name]);
}

/** The answers of the verbs that have one of their own if the delegate is missing. */
const answers: Readonly<Record<string, HandOver["withoutDelegate"]>> = {
  STATUS: "unavailable",
  VERSION: "ownVersions",
};

/** Hands a call over to the next executable of the wrapper's name. The outer wrapper remembers the attachment. */
export function handOverNested(session: Session): number {
  const { calledAs, env } = session.host;
  const delegate = delegateName(calledAs);
  if (delegate === undefined) throw new CniError("unnamedDelegate", `started as ${calledAs}`);
  const plan = planHandOver({ delegate, environment: {} });
  return handOver(session, { ...plan, withoutDelegate: answers[env.CNI_COMMAND ?? ""] ?? plan.withoutDelegate });
}
