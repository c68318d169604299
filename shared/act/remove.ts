import type { DelegateCall } from "../plan/call.ts";
import type { Removal } from "../plan/del.ts";
import type { GcRemovals } from "../plan/gc.ts";
import { toCniError } from "../protocol/errors.ts";
import { findDelegate, missingDelegate } from "./find-delegate.ts";
import { noteDelegate, prepareCall } from "./prepare-call.ts";
import { type Finished, runDelegate } from "./run-delegate.ts";
import { type Session, say } from "./session.ts";

/**
 * Runs the delegate's DELs, each whatever becomes of the others, and forgets what passed. The runtime gets the first answer that
 * is a failure, else the last one; returns the exit code.
 */
export function runRemovals(session: Session, removals: readonly Removal[]): number {
  const answers = removals.map((removal) => remove(session, removal)).filter((answer) => answer !== undefined);
  const answer = answers.find(({ exitCode }) => exitCode !== 0) ?? answers.at(-1);
  if (answer === undefined) return 0;
  answer.stdout.print();
  return answer.exitCode;
}

/** Cleans up by the records what a GC does not call valid. It fails no GC: what is left is for the next one. */
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

/** Runs a call, and if it fails the other one: its answer counts. Returns the exit code. */
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
