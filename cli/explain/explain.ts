import { profiles } from "../../plugins/index.ts";
import { makeCall } from "../../shared/call/call.ts";
import type { Plan } from "../../shared/call/plan.ts";
import { logOf } from "../../shared/call/session.ts";
import type { Host } from "../../shared/host/host.ts";
import { CniError } from "../../shared/protocol/errors.ts";
import { type JsonObject, parseJsonObject } from "../../shared/protocol/json.ts";
import { lastElement } from "../../shared/protocol/names.ts";
import { type ConfiguredVerb, parseRequest, parseVariables } from "../../shared/protocol/request.ts";
import type { CniResult } from "../../shared/protocol/result.ts";
import { planCall, run } from "../../shared/run.ts";
import { isWrapperType, type List, type ListedPlugin } from "../lists/list.ts";
import { type AttachmentParameters, type Call, callsOf, notSent } from "../live/libcni.ts";
import { hostOf } from "../model/wrapper-host.ts";
import type { HostState } from "./host-state.ts";

/** One plugin's part of a verb: of a wrapper its plan, the plugins that it runs, and the answer for the runtime. */
export interface Step {
  readonly plugin: ListedPlugin;
  /** The variables and the stdin that the runtime gives. */
  readonly given: Call;
  /** Undefined if the call is refused before there is a plan, and for a plain plugin. */
  readonly plan: Plan | undefined;
  readonly runs: readonly RehearsedRun[];
  readonly answer: Answer;
  /** The warnings in the wrapper's log. */
  readonly warnings: readonly string[];
}

/** A verb of a list, step by step. */
export interface Explanation {
  readonly list: List;
  readonly verb: ConfiguredVerb;
  readonly attachment: AttachmentParameters;
  readonly steps: readonly Step[];
  /** The steps of the ADD before it, if it was rehearsed, or of this ADD. */
  readonly added: readonly Step[];
  /** The result of the list: of ADD, or the one that the other verbs get. */
  readonly result: CniResult | undefined;
  /** Why there are no steps. */
  readonly notSent?: string;
}

/** The facts that a verb is explained from. */
export interface Source {
  readonly attachment: AttachmentParameters;
  readonly state: HostState;
  readonly jq: Host["jq"];
  /** The result of the list's ADD, if it is known. Otherwise ADD is rehearsed first. */
  readonly result?: CniResult;
  /** Answers for a plugin. */
  answer(plugin: ListedPlugin, type: string, call: Call): Answer;
}

/** Explains a verb of a list. */
export function explain(list: List, verb: ConfiguredVerb, source: Source): Explanation {
  const before = verb === "ADD" || source.result ? undefined : explain(list, "ADD", source);
  const prevResult = verb === "ADD" ? undefined : (source.result ?? before?.result);
  // A runtime's DEL follows a failed ADD, too. It has no result.
  const failed = verb === "CHECK" ? before?.steps.find((step) => !hasPassed(step))?.plugin : undefined;
  const reason = notSent(list, verb) ?? (failed && `ADD fails at plugin ${failed.index + 1}, ${failed.type}`);
  const common = { list, verb, attachment: source.attachment, added: before?.steps ?? [] };
  if (reason !== undefined) return { ...common, steps: [], result: prevResult, notSent: reason };
  const steps = stepsOf(list, verb, source, prevResult);
  if (verb !== "ADD") return { ...common, steps, result: prevResult };
  const result = steps.every(hasPassed) ? (steps.at(-1)?.answer.output as CniResult | undefined) : undefined;
  return { ...common, steps, added: steps, result };
}

/** Whether the runtime gets no error. */
export function hasPassed({ answer }: Step): boolean {
  return answer.exitCode === 0;
}

/** Makes the calls of a verb, up to the first one that fails. `prevResult` is that of the first call. */
export function stepsOf(list: List, verb: ConfiguredVerb, source: Source, prevResult: CniResult | undefined): Step[] {
  const steps: Step[] = [];
  const calls = callsOf(list, verb, source.attachment, prevResult);
  for (let next = calls.next(); !next.done; ) {
    const step = stepOf(...next.value, source);
    steps.push(step);
    next = calls.next({ isPassed: hasPassed(step), output: step.answer.output });
  }
  return steps;
}

/** One call of a plugin, or of the wrapper that runs it. */
export function stepOf(plugin: ListedPlugin, given: Call, source: Source): Step {
  if (plugin.isWrapped) return wrappedStep(plugin, given, source);
  const answer = source.answer(plugin, plugin.type, given);
  const run = { plugin: plugin.type, ...given, answer };
  return { plugin, given, plan: undefined, runs: [run], answer, warnings: [] };
}

/** Returns an explanation as plain data, for programs. */
export function explanationData({ list, verb, attachment, steps, result, notSent }: Explanation): JsonObject {
  return {
    file: list.file.path,
    network: list.name,
    verb,
    ...(notSent !== undefined && { notSent }),
    containerId: attachment.containerId,
    ifName: attachment.ifName,
    steps: steps.map(stepData),
    ...(result && { result }),
  };
}

function stepData({ plugin: { type, index, isWrapped }, given, plan, runs, answer, warnings }: Step): JsonObject {
  return { plugin: type, index, isWrapped, given, ...(plan && { plan }), runs, ...answer, warnings };
}

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

/** Runs a wrapper's own code for a call, on a host on which nothing happens: its plugins only answer, and no file is written. */
function wrappedStep(plugin: ListedPlugin, given: Call, source: Source): Step {
  const { host, runs, output, log } = stageOf(plugin, given, source);
  const plan = planOf(host, given);
  const exitCode = run(host, profiles);
  const warnings = log.map((line) => parseJsonObject(line) ?? {}).filter(({ level }) => level === "warn");
  const answer = { exitCode, output: parseJsonObject(output.join("")) };
  return { plugin, given, plan, runs, answer, warnings: warnings.map(({ message }) => String(message)) };
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
function stageOf(listed: ListedPlugin, call: Call, { state, jq, answer }: Source) {
  // A runtime starts the wrapper that it finds first. With drop-in that is not the plugin of this name.
  const [first = ""] = (call.environment.CNI_PATH ?? "").split(":");
  const runs: RehearsedRun[] = [];
  const output: string[] = [];
  const log: string[] = [];
  const host = hostOf({
    view: { ...state, appendLine: (_, line) => void log.push(line) },
    env: { CNI_WRAPPERS_LOG: "log", CNI_WRAPPERS_LOG_LEVEL: "warn", ...call.environment },
    calledAs: `${first}/${listed.type}`,
    // It tells the wrappers of a list apart.
    pid: listed.index,
    stdin: JSON.stringify(call.stdin),
    inspect: (path) => (isWrapperType(lastElement(path)) ? "the wrapper itself" : "executable"),
    runPlugin(plugin, changes, stdin) {
      // The mark is for a wrapper that a plugin runs.
      const { CNI_WRAPPERS_NESTED: _, ...environment } = { ...call.environment, ...changes } as Call["environment"];
      const given = { environment, stdin: parseJsonObject(stdin) ?? call.stdin };
      const ended = answer(listed, plugin, given);
      runs.push({ plugin, ...given, answer: ended });
      return [ended.exitCode, ended.output === undefined ? "" : JSON.stringify(ended.output)];
    },
    print: (text) => void output.push(text),
  });
  return { host: { ...host, ...(jq && { jq }) }, runs, output, log };
}
