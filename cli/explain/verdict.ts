import type { Host } from "../../shared/host/host.ts";
import type { JsonObject } from "../../shared/protocol/json.ts";
import { isDisabled, type List } from "../lists/list.ts";
import { type AttachmentParameters, notSent } from "../live/libcni.ts";
import { loadProblem } from "../model/decode.ts";
import { Machine } from "../model/machine.ts";
import { type ExitCode, exitCodeOf, oneLine } from "../terminal.ts";
import { decide } from "../wrap/decide.ts";
import { type Failure, type Left, ListRun, leftOf, leftWords, NotKnown } from "./list-run.ts";
import { exampleSource } from "./model-answers.ts";

/** What happens to the containers of a list, in the order in which people read it. */
export const events = ["start", "second", "restart", "joined", "retry", "twice", "reboot", "stop", "gone"] as const;

export type EventName = (typeof events)[number];

/** What an event ends with. */
export interface Outcome extends Partial<Failure> {
  readonly event: EventName;
  /** Undefined if it is not known: the message says why. */
  readonly passes: boolean | undefined;
  readonly leaves: readonly Left[];
}

/** The host of a verdict: its cards, and the one with the default route. Without them it has every card that a list names. */
interface Cards {
  readonly cards?: readonly string[];
  readonly defaultDevice?: string | undefined;
}

/** Returns what the events of a list end with, on a host of the model. An event that is not reached is left out. */
export function verdictOf(list: List, attachment: AttachmentParameters, jq: Host["jq"], host: Cards = {}): Outcome[] {
  const machine = Object.assign(new Machine(), host);
  const outcomes = [...course(list, new ListRun(list, machine, exampleSource(attachment, jq, machine)), machine)];
  return outcomes.toSorted((one, other) => events.indexOf(one.event) - events.indexOf(other.event));
}

/** The outcomes without `twice`: a list that names its interfaces can be attached only once to a container. */
export function counted(outcomes: readonly Outcome[]): readonly Outcome[] {
  return outcomes.filter(({ event }) => event !== "twice");
}

/** 0 if all events pass, 1 if one fails, 2 if one is not known. `twice` does not count. */
export function verdictCode(all: readonly Outcome[]): ExitCode {
  const outcomes = counted(all);
  return exitCodeOf({
    isGood: outcomes.every(({ passes }) => passes),
    isComplete: outcomes.every(({ passes }) => passes !== undefined),
  });
}

function* course(list: List, run: ListRun, machine: Machine): Generator<Outcome> {
  const refusal = refusalOf(list);
  if (refusal !== undefined) return yield { event: "start", passes: false, message: refusal, leaves: [] };
  const begin = (id: string) => {
    machine.addNamespace(`/run/netns/${id}`);
    return run.add(id);
  };
  const start = tell("start", () => begin("example1"));
  yield start;
  if (start.passes === undefined) return;
  if (start.passes) yield* besideAnother(list, run, begin);
  yield tell(
    "stop",
    () => run.del("example1"),
    () => {
      // The runtime removes it then, and its links with it.
      machine.removeNamespace("/run/netns/example1");
      return leftOf(machine, "example1");
    },
  );
  if (start.passes) yield* othersOf(run, machine, begin);
}

/** Starts a container. */
type Begin = (id: string) => Failure | undefined;

function tell(event: EventName, verb: () => Failure | undefined, leaves: () => Left[] = () => []): Outcome {
  try {
    const failure = verb();
    return { event, passes: !failure, ...failure, leaves: leaves() };
  } catch (error) {
    if (error instanceof NotKnown) return { event, passes: undefined, message: error.message, leaves: [] };
    throw error;
  }
}

function* besideAnother(list: List, run: ListRun, begin: Begin): Generator<Outcome> {
  const isChecked = notSent(list, "CHECK") === undefined;
  if (isChecked) yield tell("restart", () => run.check("example1"));
  const second = tell("second", () => begin("example2"));
  yield second;
  if (second.passes && isChecked) yield tell("joined", () => run.check("example1"));
  run.del("example2");
}

/** The events of containers of their own. */
function* othersOf(run: ListRun, machine: Machine, begin: Begin): Generator<Outcome> {
  begin("example3");
  yield tell("twice", () => run.add("example3", { ifName: "net1" }));
  for (const ifName of ["net1", "eth0"]) run.del("example3", { ifName });
  machine.addNamespace("/run/netns/example4");
  run.add("example4", { failsAtLast: true });
  yield tell("retry", () => run.add("example4"));
  run.del("example4");
  begin("example5");
  machine.removeNamespace("/run/netns/example5");
  yield tell(
    "gone",
    () => run.del("example5", { netns: "" }),
    () => leftOf(machine, "example5"),
  );
  begin("example6");
  machine.reboot();
  yield tell("reboot", () => begin("example6"));
}

/** What libcni says about a list that it does not load (libcni/conf.go). */
export function refusalOf({ value, hasPlugins, file }: List): string | undefined {
  const isOnePlugin = /\.(conf|json)$/.test(file.path) || (!hasPlugins && !file.path.endsWith(".conflist"));
  if (isOnePlugin) return pluginProblem(value);
  const problem = shapeProblem(value);
  if (problem !== undefined) return `error parsing configuration list: ${problem}`;
  if (!hasPlugins) return "no plugin configs found";
  for (const [index, entry] of (value.plugins as readonly unknown[]).entries()) {
    const reason = pluginProblem(entry);
    if (reason !== undefined) return `failed to parse plugin config ${index}: ${reason}`;
  }
  return undefined;
}

function pluginProblem(value: unknown): string | undefined {
  const reason = loadProblem(value);
  return reason && `error parsing configuration: ${reason}`;
}

function versionsProblem(cniVersions: unknown, cniVersion = ""): string | undefined {
  // Go prints the type that it wants here, not the one that it found.
  if (!Array.isArray(cniVersions)) return "invalid type for cniVersions: []interface {}";
  for (const [index, one] of cniVersions.entries()) {
    if (typeof one !== "string") return `invalid type for cniVersions index ${index}: ${goType(one)}`;
    const reason = versionProblem(one);
    if (reason !== undefined) return `invalid cniVersions entry ${one} at index ${index}: ${reason}`;
  }
  const reason = versionProblem(cniVersion);
  return reason && `invalid cniVersion ${cniVersion}: ${reason}`;
}

/** What libcni says of a text that is no version (ParseVersion in pkg/version/plugin.go). */
function versionProblem(version: string): string | undefined {
  const parts = version === "" ? [] : version.split(".");
  if (parts.length > 3) return `invalid version ${JSON.stringify(version)}: too many parts`;
  const odd = parts.findIndex((part) => !/^[+-]?\d+$/.test(part));
  const part = JSON.stringify(parts[odd]);
  const place = ["major", "minor", "micro"][odd];
  return place && `failed to convert ${place} version part ${part}: strconv.Atoi: parsing ${part}: invalid syntax`;
}

function shapeProblem(value: JsonObject): string | undefined {
  const { name, cniVersion, plugins } = value;
  if (name === undefined) return "no name";
  if (typeof name !== "string") return `invalid name type ${goType(name)}`;
  if (cniVersion !== undefined && typeof cniVersion !== "string")
    return `invalid cniVersion type ${goType(cniVersion)}`;
  const problem = value.cniVersions === undefined ? undefined : versionsProblem(value.cniVersions, cniVersion);
  if (problem !== undefined) return problem;
  for (const key of ["disableCheck", "disableGC", "loadOnlyInlinedPlugins"]) {
    const flag = value[key];
    if (flag === undefined || typeof flag === "boolean") continue;
    if (typeof flag !== "string") return `invalid type ${goType(flag)} for ${key}`;
    if (!/^(true|false)$/i.test(flag)) return `invalid value "${flag.toLowerCase()}" for ${key}`;
  }
  if (plugins === undefined)
    return isDisabled(value.loadOnlyInlinedPlugins)
      ? "`loadOnlyInlinedPlugins` is true, and no 'plugins' key"
      : undefined;
  if (!Array.isArray(plugins)) return `invalid 'plugins' type ${goType(plugins)}`;
  return plugins.length === 0 ? "no plugins in list" : undefined;
}

/** A JSON value's type, as Go prints it. */
function goType(value: unknown): string {
  if (typeof value === "number") return "float64";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  if (value === null) return "<nil>";
  return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
}

/** Why a second attachment to one container fails, if it is that the names of the interfaces are in use. */
export function whyOnce({ message = "" }: Outcome): string | undefined {
  if (!/already exists|file exists|is taken/.test(message)) return undefined;
  return "a list that names its interfaces can be attached to a container once";
}

const indent = "  ";

/**
 * Writes a verdict for people: the list, each event that fails, and those that pass in one line. `afterScript` is what CHECK
 * fails with where a script runs the list's ADD.
 */
export function verdictText(list: List, outcomes: readonly Outcome[], afterScript?: Failure): string {
  const { file, name, plugins } = list;
  const titles = plugins.map(({ delegate, role, ifName }) => (role === "creator" ? `${delegate} ${ifName}` : delegate));
  const passed = outcomes.filter(({ passes, leaves }) => passes && leaves.length === 0).map(({ event }) => event);
  const others = outcomes.filter(({ event }) => !passed.includes(event));
  const scripted = afterScript && `never reached; with a script that merges the results: ${failureWords(afterScript)}`;
  const missing = events.filter((event) => {
    return !outcomes.some((one) => one.event === event) && !(scripted && event === "restart");
  });
  const row = (what: string, words: string) => `${indent}${what.padEnd(9)}  ${words}`;
  const isHelped = outcomes.some(({ passes }) => passes === false) && decide(list).plugins.length > 0;
  return [
    `${name ?? file.path}: ${titles.join(", ")}`,
    ...others.flatMap((one) => [
      row(one.event, wordsOf(one)),
      ...(scripted && one.event === "start" ? [row("restart", scripted)] : []),
    ]),
    ...(passed.length > 0 ? [row("passes:", passed.join(", "))] : []),
    ...(missing.length > 0 ? [row("not sent:", missing.join(", "))] : []),
    ...(isHelped ? [`-> cni-wrappers wrap ${file.path}`] : []),
    ...(outcomes.some(({ passes }) => passes === undefined) ? [`-> cni-wrappers try ${file.path}`] : []),
  ]
    .map((line) => `${oneLine(line)}\n`)
    .join("");
}

function failureWords({ type, message }: Pick<Outcome, "type" | "message">): string {
  return `fails${type === undefined ? "" : ` at ${type}`}: ${message}`;
}

function wordsOf(outcome: Outcome): string {
  const { event, passes, message, leaves } = outcome;
  const left = leaves.length > 0 ? `leaves ${leftWords(leaves)}` : "";
  if (passes) return left;
  const why = whyOnce(outcome);
  const aside = event === "twice" ? ` (does not count${why === undefined ? "" : `: ${why}`})` : "";
  const words = passes === undefined ? `not known: ${message}` : `${failureWords(outcome)}${aside}`;
  return left === "" ? words : `${words}; ${left}`;
}

/** Returns a verdict as plain data. */
export function verdictData(outcomes: readonly Outcome[]): JsonObject[] {
  return outcomes.map(({ passes, ...rest }) => ({ ...rest, passes: passes ?? null }));
}
