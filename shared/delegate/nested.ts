import { planHandOver } from "../call/plan.ts";
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

/** Hands a call over to the next executable of the wrapper's name. The outer wrapper remembers the attachment. */
export function handOverNested(session: Session): number {
  const { calledAs } = session.host;
  const delegate = delegateName(calledAs);
  if (delegate === undefined) throw new CniError("unnamedDelegate", `started as ${calledAs}`);
  return handOver(session, planHandOver({ delegate, environment: {} }));
}
