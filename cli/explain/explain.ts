import type { Host } from "../../shared/host/host.ts";
import type { JsonObject } from "../../shared/protocol/json.ts";
import type { ConfiguredVerb } from "../../shared/protocol/request.ts";
import type { CniResult } from "../../shared/protocol/result.ts";
import type { List, ListedPlugin } from "../lists/list.ts";
import { type AttachmentParameters, type Call, callsOf, notSent } from "../live/libcni.ts";
import type { HostState } from "./host-state.ts";
import { type Answer, type Rehearsal, rehearse } from "./rehearsal.ts";

/** One plugin's part of a verb. */
export interface Step extends Rehearsal {
  readonly plugin: ListedPlugin;
  /** The variables and the stdin that the runtime gives. */
  readonly given: Call;
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
  const reason = notSent(list, verb) ?? failureBefore(before, verb);
  const common = { list, verb, attachment: source.attachment, added: before?.steps ?? [] };
  if (reason !== undefined) return { ...common, steps: [], result: prevResult, notSent: reason };
  const steps = stepsOf(list, verb, source, prevResult);
  const isAdded = verb === "ADD" && steps.length === list.plugins.length && steps.every(hasPassed);
  if (verb !== "ADD") return { ...common, steps, result: prevResult };
  const result = isAdded ? (steps.at(-1)?.answer.output as CniResult | undefined) : undefined;
  return { ...common, steps, added: steps, result };
}

/** Whether the runtime gets no error. */
export function hasPassed({ answer }: Step): boolean {
  return answer.exitCode === 0;
}

// A runtime's DEL follows a failed ADD, too. It has no result.
function failureBefore(add: Explanation | undefined, verb: ConfiguredVerb): string | undefined {
  const failed = add?.steps.find((step) => !hasPassed(step));
  if (failed === undefined || verb !== "CHECK") return undefined;
  return `ADD fails at plugin ${failed.plugin.index + 1}, ${failed.plugin.type}`;
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
  return plugin.isWrapped ? wrappedStep(plugin, given, source) : plainStep(plugin, given, source);
}

function wrappedStep(plugin: ListedPlugin, given: Call, { state, jq, answer }: Source): Step {
  const rehearsal = rehearse(calledAs(plugin, given), given, {
    state,
    jq,
    pid: plugin.index,
    answer: (type, call) => answer(plugin, type, call),
  });
  return { plugin, given, ...rehearsal };
}

function plainStep(plugin: ListedPlugin, given: Call, source: Source): Step {
  const answer = source.answer(plugin, plugin.type, given);
  const run = { plugin: plugin.type, ...given, answer };
  return { plugin, given, plan: undefined, runs: [run], answer, warnings: [] };
}

// A runtime starts the wrapper that it finds first. With drop-in that is not the plugin of this name.
function calledAs({ type }: ListedPlugin, { environment }: Call): string {
  const [first = ""] = (environment.CNI_PATH ?? "").split(":");
  return `${first}/${type}`;
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

function stepData({ plugin, given, plan, runs, answer, warnings }: Step): JsonObject {
  return {
    plugin: plugin.type,
    index: plugin.index,
    isWrapped: plugin.isWrapped,
    given,
    ...(plan && { plan }),
    runs,
    ...answer,
    warnings,
  };
}
