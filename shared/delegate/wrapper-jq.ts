import type { DelegateCall, Filter } from "../call/delegate-call.ts";
import { type Session, say, warn } from "../call/session.ts";
import { CniError } from "../protocol/errors.ts";
import { parseJsonObject } from "../protocol/json.ts";

/** The longest input of a jq program. In characters. */
const inputLimit = 1024 * 1024;

/**
 * Returns the call with the configuration that its filter makes. Code 7 if the program fails. DEL and STATUS then use the
 * original configuration, because a container must always be removable.
 */
export function filtered(session: Session, call: DelegateCall, { program, mayFail }: Filter): DelegateCall {
  try {
    const configuration = runJq(session, program, JSON.stringify(call.configuration));
    say(session, { level: "debug", message: "plugin configuration after wrapper.jq", more: { configuration } });
    return { ...call, configuration };
  } catch (error) {
    if (!mayFail || !(error instanceof CniError)) throw error;
    warn(session, `${error.message}; the delegate gets its configuration unfiltered`, { details: error.details });
    return call;
  }
}

function runJq({ host }: Session, program: string, input: string) {
  if (host.jq === undefined) throw refusal("is not available in this build: use the Node flavor");
  if (input.length > inputLimit) throw refusal("gets more than 1 MiB");
  const answer = host.jq(program, input);
  if ("problem" in answer) throw jqError(answer.problem);
  const configuration = parseJsonObject(answer.output);
  if (configuration === undefined) throw refusal(`must return one object, not ${excerpt(answer.output)}`);
  return configuration;
}

/** jq reports the position of a syntax error, but not of an error that depends on the input. */
function jqError(problem: string): CniError {
  const [first = ""] = problem.split("\n");
  const [, what = first, position] =
    /^jq: error(?: \(at [^)]*\))?: (.*?)(?: at <top-level>, (line \d+, column \d+):?)?$/.exec(first) ?? [];
  const where = position === undefined ? "wrapper.jq" : `wrapper.jq, ${position}`;
  return new CniError("invalidConfiguration", `${where}: ${what}`, problem);
}

function refusal(what: string): CniError {
  return new CniError("invalidConfiguration", `wrapper.jq ${what}`);
}

function excerpt(output: string): string {
  if (output === "") return "nothing";
  return output.length > 60 ? `${output.slice(0, 60)}…` : output.replaceAll("\n", " and ");
}
