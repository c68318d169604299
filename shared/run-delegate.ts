import { inputOf } from "./delegate.ts";
import type { Answer } from "./host/host.ts";
import type { DelegateCall } from "./plan/call.ts";
import { CniError } from "./protocol/errors.ts";
import { parseJsonObject } from "./protocol/json.ts";
import { type Session, say, sizeLimit } from "./session.ts";

/** A delegate that came to its own end. */
export type Finished = Answer & { ended: "exit" };

/** Runs the delegate to its end; throws where it comes to none of its own. */
export function runDelegate(session: Session, path: string, call: DelegateCall): Finished {
  const { host } = session;
  const verb = call.environment.CNI_COMMAND ?? host.env.CNI_COMMAND;
  say(session, "debug", `running ${path}: ${verb}`, { configuration: call.configuration });
  const started = host.now();
  const answer = host.spawn(path, call.environment, inputOf(call), sizeLimit);
  const durationMs = host.now() - started;
  if (answer.ended !== "exit") throw delegateError(call.delegate, answer);
  const { exitCode, stdout } = answer;
  say(session, exitCode === 0 ? "info" : "error", `delegate answered ${verb}`, { durationMs, exitCode });
  say(session, "debug", "delegate's answer", { answer: readable(host.decodeUtf8(stdout)) });
  return answer;
}

function delegateError(delegate: string, answer: Exclude<Answer, Finished>): CniError {
  switch (answer.ended) {
    case "signal":
      return new CniError("delegateDied", delegate, `it was ended by ${answer.signal}`);
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
