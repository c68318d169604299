import { type HandOver, planHandOver } from "../call/plan.ts";
import type { Session } from "../call/session.ts";
import { delegateName } from "../call/target.ts";
import type { Host } from "../host/host.ts";
import { CniError } from "../protocol/errors.ts";
import { findDelegate } from "./find-delegate.ts";
import { missingDelegate } from "./missing-delegate.ts";
import { printVersions } from "./print.ts";
import { type Finished, inputOf, nestedMark, noteDelegate, runDelegate } from "./run-delegate.ts";

/**
 * Replaces this process with the delegate. Spawns the delegate instead if exec is impossible, or if there is a log: the log says how the call ended. Returns the exit code.
 */
export function handOver(session: Session, { call, withoutDelegate }: HandOver): number {
  const { host } = session;
  noteDelegate(session, call);
  const path = findDelegate(host, call.delegate);
  if (path === undefined) {
    if (withoutDelegate === "ownVersions") return printVersions(host);
    throw missingDelegate(host, call.delegate, withoutDelegate);
  }
  if (session.log.file === undefined) host.tryExec(path, { ...call.environment, ...nestedMark }, inputOf(call));
  return printed(runDelegate(session, { path, call }));
}

/** Gives a delegate's answer to the runtime. Returns the exit code. */
export function printed({ stdout, exitCode }: Finished): number {
  stdout.print();
  return exitCode;
}

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
