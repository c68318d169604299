import { profiles } from "../../plugins/index.ts";
import { makeCall } from "../../shared/call/call.ts";
import type { Plan } from "../../shared/call/plan.ts";
import { logOf } from "../../shared/call/session.ts";
import type { Host } from "../../shared/host/host.ts";
import { CniError } from "../../shared/protocol/errors.ts";
import { type JsonObject, parseJsonObject } from "../../shared/protocol/json.ts";
import { lastElement } from "../../shared/protocol/names.ts";
import { type ConfiguredVerb, parseRequest, parseVariables } from "../../shared/protocol/request.ts";
import { planCall, run } from "../../shared/run.ts";
import { isWrapperType } from "../lists/list.ts";
import type { Call } from "../live/libcni.ts";
import { hostOf } from "../model/wrapper-host.ts";
import type { HostState } from "./host-state.ts";

/** How a plugin ends: its exit code, and the JSON object that it prints, if it prints one. */
export interface Answer {
  readonly exitCode: number;
  readonly output?: JsonObject | undefined;
  /** Who really chooses the address in it, if that is not the configuration. */
  readonly chosenBy?: string | undefined;
}

/** One run of a plugin. */
export interface RehearsedRun extends Call {
  readonly plugin: string;
  readonly answer: Answer;
}

/** A call of a wrapper: its plan, the plugins that it runs, and the answer for the runtime. */
export interface Rehearsal {
  /** Undefined if the call is refused before there is a plan, and for a plain plugin. */
  readonly plan: Plan | undefined;
  readonly runs: readonly RehearsedRun[];
  readonly answer: Answer;
  /** The warnings in the wrapper's log. */
  readonly warnings: readonly string[];
}

/** The surroundings of a rehearsal. */
interface Stage {
  readonly state: HostState;
  readonly jq: Host["jq"];
  /** Tells the wrappers of a list apart. */
  readonly pid: number;
  /** Answers for the plugin that the wrapper runs. */
  answer(plugin: string, call: Call): Answer;
}

/**
 * Runs a wrapper's own code for a call, on a host on which nothing happens: its plugins only answer, and nothing is written
 * to a disk.
 */
export function rehearse(calledAs: string, call: Call, stage: Stage): Rehearsal {
  const { host, runs, output, log } = stageOf(calledAs, call, stage);
  const plan = planOf(host, call);
  const exitCode = run(host, profiles);
  const warnings = log.map((line) => parseJsonObject(line) ?? {}).filter(({ level }) => level === "warn");
  const answer = { exitCode, output: parseJsonObject(output.join("")) };
  return { plan, runs, answer, warnings: warnings.map(({ message }) => String(message)) };
}

function planOf(host: Host, { stdin }: Call): Plan | undefined {
  try {
    const variables = parseVariables(host.env);
    const request = parseRequest(variables.command as ConfiguredVerb, variables, stdin);
    const session = { host, profiles, log: logOf({}, {}), cniVersion: undefined, fields: {} };
    return planCall(makeCall(session, request));
  } catch (error) {
    if (error instanceof CniError) return undefined;
    throw error;
  }
}

/** The host of a rehearsal, and what the wrapper then runs, prints and logs on it. */
function stageOf(calledAs: string, call: Call, { state, jq, pid, answer }: Stage) {
  const runs: RehearsedRun[] = [];
  const output: string[] = [];
  const log: string[] = [];
  const host = hostOf({
    view: { ...state, appendLine: (_, line) => void log.push(line) },
    env: { CNI_WRAPPERS_LOG: "log", CNI_WRAPPERS_LOG_LEVEL: "warn", ...call.environment },
    ...{ calledAs, pid, stdin: JSON.stringify(call.stdin) },
    inspect: (path) => (isWrapperType(lastElement(path)) ? "the wrapper itself" : "executable"),
    runPlugin(plugin, changes, stdin) {
      // The mark is for a wrapper that a plugin runs.
      const { CNI_WRAPPERS_NESTED: _, ...environment } = { ...call.environment, ...changes } as Call["environment"];
      const given = { environment, stdin: parseJsonObject(stdin) ?? call.stdin };
      const ended = answer(plugin, given);
      runs.push({ plugin, ...given, answer: ended });
      return [ended.exitCode, ended.output === undefined ? "" : JSON.stringify(ended.output)];
    },
    print: (text) => void output.push(text),
  });
  return { host: { ...host, ...(jq && { jq }) }, runs, output, log };
}
