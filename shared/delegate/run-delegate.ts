import type { Answer } from "../host/host.ts";
import type { DelegateCall } from "../plan/call.ts";
import { CniError } from "../protocol/errors.ts";
import { isJsonObject, parseJsonObject } from "../protocol/json.ts";
import type { LogLevel } from "../protocol/schema.ts";
import { inputOf } from "./prepare-call.ts";
import { type Session, say, sizeLimit } from "./session.ts";

/** The answer of a delegate that exited by itself. */
export type Finished = Answer & { ended: "exit" };

/**
 * Runs the delegate to its end and logs how it ended, a failure at `failureLevel`. Code 101 if it is killed, 102 if it prints
 * too much, 104 if it cannot start.
 */
export function runDelegate(
  session: Session,
  path: string,
  call: DelegateCall,
  failureLevel: LogLevel = "error",
): Finished {
  const { host } = session;
  const verb = call.environment.CNI_COMMAND ?? host.env.CNI_COMMAND;
  say(session, "debug", `running ${path}: ${verb}`, { configuration: call.configuration });
  const started = host.now();
  const answer = host.spawn(path, call.environment, inputOf(call), sizeLimit);
  const durationMs = host.now() - started;
  if (answer.ended !== "exit") throw delegateError(call.delegate, answer);
  logAnswer(session, verb, { ...answer, durationMs }, failureLevel);
  return answer;
}

function logAnswer(
  session: Session,
  verb: string | undefined,
  answer: Finished & { durationMs: number },
  failureLevel: LogLevel,
): void {
  if (session.log.file === undefined) return;
  const { exitCode, stdout, durationMs } = answer;
  const output = readable(stdout.decodeUtf8());
  if (exitCode === 0) {
    say(session, "info", `delegate passed ${verb}`, { durationMs, exitCode });
  } else {
    const { code, msg, details } = isJsonObject(output) ? output : {};
    const words = typeof msg === "string" ? msg : "it printed no CNI error";
    say(session, failureLevel, `delegate failed ${verb}: ${words}`, { code, msg, details, durationMs, exitCode });
  }
  say(session, "debug", "delegate's answer", { answer: output });
}

function delegateError(delegate: string, answer: Exclude<Answer, Finished>): CniError {
  switch (answer.ended) {
    case "signal":
      return new CniError("delegateDied", delegate, `it was killed by ${answer.signal}`);
    case "too much output":
      return new CniError("invalidDelegateOutput", delegate, "it is more than 8 MiB");
    case "not started":
      return new CniError("delegateNotStarted", delegate, answer.reason);
    default:
      return answer satisfies never;
  }
}

function readable(output = ""): unknown {
  return parseJsonObject(output) ?? output;
}
