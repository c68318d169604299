import type { DelegateCall } from "../plan/call.ts";
import type { GcRemovals, Removal } from "../plan/plan.ts";
import { toCniError } from "../protocol/errors.ts";
import { findDelegate } from "./find-delegate.ts";
import { missingDelegate } from "./missing-delegate.ts";
import { noteDelegate, prepareCall } from "./prepare-call.ts";
import { type Finished, runDelegate } from "./run-delegate.ts";
import { type Session, say } from "./session.ts";

/**
 * Runs all of the delegate's DELs, even if one fails, and deletes the records of those that passed. The runtime gets the
 * first failed answer, else the last one. Returns the exit code.
 */
export function runRemovals(session: Session, removals: readonly Removal[]): number {
  const answers = removals.map((removal) => remove(session, removal)).filter((answer) => answer !== undefined);
  const answer = answers.find(({ exitCode }) => exitCode !== 0) ?? answers.at(-1);
  if (answer === undefined) return 0;
  answer.stdout.print();
  return answer.exitCode;
}

/** Removes recorded attachments that GC does not list as valid. A failure does not fail GC: the next GC tries again. */
export function collectGarbage(session: Session, { removals, forget }: GcRemovals): void {
  for (const removal of removals) {
    try {
      remove(session, removal);
    } catch (thrown) {
      say(session, "warn", `GC could not clean up: ${toCniError(thrown).message}`);
    }
  }
  for (const file of forget) session.host.removeFile(file);
}

/** Runs a call. If it fails, runs the other one, and that answer counts. Returns the exit code. */
export function runInTurn(session: Session, path: string, call: DelegateCall, other: DelegateCall): number {
  const first = runDelegate(session, path, call, "warn");
  const answer = first.exitCode === 0 ? first : runOther(session, path, other);
  answer.stdout.print();
  return answer.exitCode;
}

function runOther(session: Session, path: string, call: DelegateCall): Finished {
  say(session, "warn", `there is no record of the interface: asking again in the network ${call.configuration?.name}`);
  return runDelegate(session, path, call);
}

function remove(session: Session, removal: Removal): Finished | undefined {
  const { call, again, forget, notes, otherwise } = removal;
  if (otherwise && call && findDelegate(session.host, call.delegate) === undefined) return remove(session, otherwise);
  if (call) noteDelegate(session, call);
  for (const note of notes) say(session, "warn", note);
  const answer = call && runDel(session, prepareCall(session, call), again);
  if (!answer || answer.exitCode === 0) for (const file of forget) session.host.removeFile(file);
  return answer;
}

function runDel(session: Session, call: DelegateCall, again: boolean): Finished {
  const { host } = session;
  const path = findDelegate(host, call.delegate);
  if (path === undefined) throw missingDelegate(host, call.delegate, "delegateNotFound");
  const first = runDelegate(session, path, call, again ? "warn" : "error");
  if (first.exitCode === 0 || !again) return first;
  say(session, "warn", "DEL failed in a network that the list's interfaces share: running it once more");
  return runDelegate(session, path, call);
}
