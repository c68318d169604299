import type { DelegateCall, Filter } from "../plan/call.ts";
import { CniError } from "../protocol/errors.ts";
import { parseJsonObject } from "../protocol/json.ts";
import { type Session, say } from "./session.ts";

/** The most that goes into a jq program. In characters. */
const inputLimit = 1024 * 1024;

/**
 * The call with its configuration rewritten by its jq program (`wrapper.jq`). Code 7 if the program fails. DEL and STATUS then
 * use the configuration unchanged, because a container must always be removable.
 */
export function applyFilter(session: Session, call: DelegateCall, { program, mayFail }: Filter): DelegateCall {
  try {
    const configuration = runJq(session, program, JSON.stringify(call.configuration));
    say(session, "debug", "plugin configuration after wrapper.jq", { configuration });
    return { ...call, configuration };
  } catch (error) {
    if (!mayFail || !(error instanceof CniError)) throw error;
    say(session, "warn", `${error.message}; the delegate gets its configuration unfiltered`, {
      details: error.details,
    });
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

/** jq says where in the program a mistake is; of one that shows only with the input it says no more than what. */
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
