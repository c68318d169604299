import type { HandOver } from "../call/plan.ts";
import type { Session } from "../call/session.ts";
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
