import { type AddedInterface, addedInterfaces } from "../attachment/added.ts";
import type { Bytes } from "../host/host.ts";
import { spliceResult } from "../plan/add.ts";
import { delOf } from "../plan/call.ts";
import type { AddPlan, Splice } from "../plan/plan.ts";
import { CniError, toCniError } from "../protocol/errors.ts";
import { hasTooManyValues, isTooDeep, parseJsonObject, tooManyValues } from "../protocol/json.ts";
import { losesNumbers } from "../protocol/json-text.ts";
import { resultProblem } from "../protocol/request.ts";
import type { CniResult } from "../protocol/result.ts";
import { isChainVersion } from "../protocol/versions.ts";
import { recordFile, routingFile } from "../record/record.ts";
import { addMeta, recordAdded } from "./add-meta.ts";
import { findDelegate } from "./find-delegate.ts";
import { missingDelegate } from "./missing-delegate.ts";
import { writeRoutingRecord } from "./moved-routes.ts";
import { noteDelegate } from "./prepare-call.ts";
import { addWithRecovery } from "./recover.ts";
import { type Finished, runDelegate } from "./run-delegate.ts";
import { type Session, say } from "./session.ts";
import { warnOfUnwrapped } from "./warn-unwrapped.ts";

/**
 * Runs the delegate's ADD and gives the runtime its spliced answer. Returns the exit code. If the delegate succeeds and the
 * wrapper then fails, the delegate's DEL runs before the error is thrown.
 */
export function runAndSplice(session: Session, plan: AddPlan): number {
  const { host } = session;
  const { delegate } = plan.call;
  noteDelegate(session, plan.call);
  const path = findDelegate(host, delegate);
  if (path === undefined) throw missingDelegate(host, delegate, "delegateNotFound");
  const answer = runAdd(session, path, plan);
  if (answer.exitCode !== 0) {
    answer.stdout.print();
    return answer.exitCode;
  }
  try {
    const { text, added } = splicedAnswer(delegate, plan.splice, answer.stdout);
    if (plan.metaRecovery && added.length > 0) recordAdded(session, plan.metaRecovery, added);
    if (plan.routing) writeRoutingRecord(session, plan.routing);
    warnOfUnwrapped(session, plan);
    if (text === undefined) answer.stdout.print();
    else host.writeStdout(text);
    return 0;
  } catch (thrown) {
    throw undo(session, path, plan, toCniError(thrown));
  }
}

function runAdd(session: Session, path: string, plan: AddPlan): Finished {
  const { call, recovery, metaRecovery } = plan;
  try {
    if (recovery) return addWithRecovery(session, path, call, recovery);
    return metaRecovery ? addMeta(session, path, call, metaRecovery) : runDelegate(session, path, call);
  } catch (thrown) {
    const error = toCniError(thrown);
    // The delegate was cut off while it printed its answer, after its work was done.
    throw error.key === "invalidDelegateOutput" ? undo(session, path, plan, error) : error;
  }
}

/** The answer for the runtime, and the container interfaces that a meta plugin added. */
interface SplicedAnswer {
  /** Undefined if the runtime gets the delegate's answer unchanged. */
  readonly text: string | undefined;
  readonly added: readonly AddedInterface[];
}

function splicedAnswer(delegate: string, splice: Splice, stdout: Bytes): SplicedAnswer {
  const text = stdout.decodeUtf8() ?? "";
  const result = parseJsonObject(text);
  if (result === undefined) {
    const problem = tooMuch(text);
    if (problem !== undefined && splice.as === "only") return unchanged;
    throw new CniError("invalidDelegateOutput", delegate, problem ?? "it is not a JSON object");
  }
  const problem = resultProblem(result, "result") ?? versionProblem(result);
  // A plugin that is alone in its chain may return anything, as it can without a wrapper.
  if (problem !== undefined && splice.as === "only") return unchanged;
  if (problem !== undefined) throw new CniError("invalidDelegateOutput", delegate, problem);
  try {
    const spliced = spliceResult(splice, result);
    if (spliced === result) return unchanged;
    const text = `${JSON.stringify(spliced, null, 4)}\n`;
    if (losesNumbers(spliced, text)) throw new CniError("invalidDelegateOutput", delegate, "a number is too large");
    return { text, added: splice.as === "meta" ? addedInterfaces(splice.prevResult, splice.attachment, result) : [] };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CniError("invalidDelegateOutput", delegate, "it is nested too deeply");
  }
}

/** Says why JSON may be too much for the engine; undefined if it is not. */
function tooMuch(text: string): string | undefined {
  if (hasTooManyValues(text)) return tooManyValues;
  return isTooDeep(text) ? "it is nested too deeply" : undefined;
}

const unchanged: SplicedAnswer = { text: undefined, added: [] };

function versionProblem({ cniVersion }: CniResult): string | undefined {
  if (cniVersion === undefined || isChainVersion(cniVersion)) return undefined;
  return `a result of cniVersion ${cniVersion} cannot be spliced`;
}

// The runtime will never learn what the delegate set up, so nothing of it may stay.
function undo(
  session: Session,
  path: string,
  { call, recovery, metaRecovery, routing }: AddPlan,
  error: CniError,
): CniError {
  say(session, "error", `${error.message}; running the delegate's DEL`, { details: error.details });
  try {
    const { exitCode, stdout } = runDelegate(session, path, delOf(call));
    if (exitCode !== 0) {
      const { msg = `exit code ${exitCode}` } = parseJsonObject(stdout.decodeUtf8() ?? "") ?? {};
      return error.addDetail(`The delegate's DEL failed as well: ${msg}`);
    }
    if (recovery) session.host.removeFile(recordFile(recovery.key));
    if (metaRecovery) session.host.removeFile(metaRecovery.file);
    if (routing) session.host.removeFile(routingFile(routing.key));
    return error;
  } catch (thrown) {
    return error.addDetail(`The delegate's DEL failed as well: ${toCniError(thrown).message}`);
  }
}
