import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { addressesIn } from "../../shared/delegate/taken-addresses.ts";
import { cachedResultFile } from "../../shared/journal/host-files.ts";
import type { JsonObject } from "../../shared/protocol/json.ts";
import { networkNameProblem } from "../../shared/protocol/names.ts";
import { type CniResult, isContainerInterface } from "../../shared/protocol/result.ts";
import { exampleAttachment } from "../explain/model-answers.ts";
import { runProgram } from "../host/programs.ts";
import type { List } from "../lists/list.ts";
import { addressesAt } from "../live/cached-results.ts";
import { withoutPlugins } from "../live/check.ts";
import type { AttachmentParameters } from "../live/libcni.ts";
import { type ListOutcome, runList } from "../live/run-plugin.ts";
import { Trouble } from "../terminal.ts";
import { addedTo, type Thing, takeSnapshot } from "./snapshot.ts";

/** One step, and how it ended. `unknown`: the plugin misses something that only the host itself has. */
export interface Step {
  /** In words. */
  readonly step: string;
  readonly outcome: "passes" | "fails" | "unknown" | "not run";
  /** The interfaces that an ADD gave, with their addresses. */
  readonly interfaces?: ReturnType<typeof interfacesOf>;
  readonly plugin?: string;
  readonly position?: number;
  /** The plugin's words, or why the step was not run. */
  readonly why?: string;
}

/** How to try a list. */
export interface Trial {
  readonly list: List;
  readonly cniPath: readonly string[];
  readonly seconds: number;
  readonly ports?: readonly string[] | undefined;
}

interface Container {
  readonly attachment: AttachmentParameters;
  result: CniResult | undefined;
}

/** Runs a list for a first container, a second one beside it, and a third one whose first ADD fails at the last plugin. */
export async function courseOf(trial: Trial): Promise<Pick<Course, "steps" | "left">> {
  const { name = "" } = trial.list;
  // Then libcni asks no plugin (AddNetworkList).
  const problem = networkNameProblem(name);
  const why = `the name ${JSON.stringify(name)} ${problem}`;
  if (problem !== undefined) return { steps: [{ step: "ADD of a container", outcome: "fails", why }], left: [] };
  const course = new Course(trial);
  const first = containerOf(1, trial);
  const second = containerOf(2, trial);
  const third = containerOf(3, trial);
  const isAttached = await course.add("ADD of a container", first);
  if (!isAttached) {
    await course.remove("DEL of the first", first);
    await course.alone(() => course.again(second));
    return course;
  }
  await course.check("CHECK of it", first);
  const isSecond = await course.add("ADD of a second container", second);
  if (isSecond) await course.check("CHECK of the second", second);
  await course.check("CHECK of the first again", first);
  await course.remove("DEL of the second", second);
  await course.remove("DEL of the first", first);
  const plugins = trial.list.plugins.slice(0, -1);
  await course.alone(async () => {
    if (plugins.length === 0) return await course.again(third);
    await course.add("ADD of a third, all but the last plugin", third, { ...trial.list, plugins });
    const isRepeated = await course.add("ADD of the third again, as Nomad does", third);
    if (isRepeated) await course.check("CHECK of the third", third);
    await course.remove("DEL of the third", third);
  });
  return course;
}

/** What happened to the containers of a trial. */
class Course {
  readonly steps: Step[] = [];
  /** What was still there after the DEL of the last container, and not before its ADD. */
  left: readonly Thing[] = [];
  readonly #trial: Trial;
  readonly #made = new Set<Container>();

  constructor(trial: Trial) {
    this.#trial = trial;
  }

  /** Returns whether it passed. Another list than the trial's is a part of it: the runtime has no result then. */
  async add(step: string, container: Container, list = this.#trial.list): Promise<boolean> {
    const { attachment } = container;
    if (!this.#made.has(container)) inNamespaces("add", attachment);
    this.#made.add(container);
    const outcome = await runList({ list, verb: "ADD", attachment }, this.#trial.seconds);
    const { result } = outcome.passed ? outcome : {};
    const shared = this.#shared(result);
    // guard: a list that gives two containers one address is not called good
    const ended: Step = shared === undefined ? stepOf(step, outcome) : { step, outcome: "fails", why: shared };
    this.steps.push({ ...ended, ...(result && { interfaces: interfacesOf(result) }) });
    // guard: no result is kept of an ADD that failed
    if (!outcome.passed || list !== this.#trial.list) return outcome.passed;
    container.result = result;
    keepResult(container, list);
    return true;
  }

  /** A list with an address of its own is for one container. Its ADD does not look. */
  #shared(result: CniResult | undefined): string | undefined {
    const others = [...this.#made].flatMap((one) => addressesIn(one.result));
    const both = addressesIn(result).filter((address) => others.includes(address));
    return both.length === 0 ? undefined : `it gets ${both.join(", ")}, which the first one has, too`;
  }

  async check(step: string, { attachment, result }: Container): Promise<void> {
    const { list, seconds } = this.#trial;
    const answer = withoutPlugins(list);
    // guard: a CHECK that no runtime runs is not called passed
    if (answer?.is === "unchecked") this.steps.push({ step, outcome: "not run", why: answer.why });
    // guard: a CHECK that libcni refuses is not called passed
    else if (answer?.is === "fails") this.steps.push({ step, outcome: "fails", why: answer.error });
    else this.steps.push(stepOf(step, await runList({ list, verb: "CHECK", attachment, result }, seconds)));
  }

  /** Runs all steps of one container, and looks what they leave. What an earlier one made for all containers is there by then. */
  async alone(steps: () => Promise<void>): Promise<void> {
    const before = await takeSnapshot();
    await steps();
    // The kernel removes the interfaces of a deleted namespace a moment later.
    for (let tries = 0; ; tries++) {
      this.left = addedTo(before, await takeSnapshot());
      // guard: what is left a moment is not called left
      if (this.left.length === 0 || tries === 20) return;
      await setTimeout(50);
    }
  }

  /** Attaches one more container, whose steps say nothing new. */
  async again(container: Container): Promise<void> {
    await this.add("", container);
    await this.remove("", container);
    this.steps.splice(-2);
  }

  /** The runtime removes the namespace, too, whatever the plugins say. */
  async remove(step: string, container: Container): Promise<void> {
    const { attachment, result } = container;
    const { list, seconds } = this.#trial;
    const outcome = await runList({ list, verb: "DEL", attachment, result }, seconds);
    this.steps.push(stepOf(step, outcome));
    if (outcome.passed) rmSync(resultFile(attachment, list), { force: true });
    inNamespaces("delete", attachment);
    this.#made.delete(container);
  }
}

function containerOf(number: number, { list, cniPath, ports }: Trial): Container {
  const containerId = `cni-wrappers-try-${number}`;
  const example = exampleAttachment(list, ports, "IgnoreUnknown=true");
  const { portMappings } = example.capabilityArgs;
  // A port of the host is for one container at a time.
  const shifted = (portMappings as JsonObject[] | undefined)?.map((one) => ({
    ...one,
    hostPort: ((Number(one.hostPort) - 1 + 10_000 * (number - 1)) % 65_535) + 1,
  }));
  const capabilityArgs: JsonObject = shifted ? { portMappings: shifted } : {};
  return {
    result: undefined,
    attachment: {
      ...example,
      containerId,
      netns: `/run/netns/${containerId}`,
      pluginPath: cniPath.join(":"),
      capabilityArgs,
    },
  };
}

function inNamespaces(verb: "add" | "delete", { containerId }: AttachmentParameters): void {
  const { passed, problem } = runProgram("ip", ["netns", verb, containerId]);
  if (!passed) throw new Trouble(problem);
}

// A file elsewhere cannot be written, and the services of the host have their sockets in /run.
const missesHost = /read-only file system|\/run\/(?!netns\/)\S*: (?:connect: )?no such file/i;

function stepOf(step: string, outcome: ListOutcome): Step {
  // guard: a step that fails is not called passed
  if (outcome.passed) return { step, outcome: "passes" };
  const { plugin, position, error } = outcome;
  return { step, outcome: missesHost.test(error) ? "unknown" : "fails", plugin, position, why: error };
}

function interfacesOf(result: CniResult) {
  const inside = (result.interfaces ?? []).filter(isContainerInterface);
  return inside.map(({ name }) => ({ name, addresses: addressesAt({ result }, name) }));
}

// The wrappers look for libcni's result (libcni/api.go, cacheAdd): without it, an ADD has not succeeded.
function keepResult({ attachment, result }: Container, list: List): void {
  const { containerId, netns, ifName, capabilityArgs } = attachment;
  const path = resultFile(attachment, list);
  mkdirSync(dirname(path), { recursive: true });
  const named = { containerId, ifName, networkName: list.name };
  const config = Buffer.from(list.file.text).toString("base64");
  const cached = { kind: "cniCacheV1", ...named, config, netns, capabilityArgs, result };
  writeFileSync(path, JSON.stringify(cached));
}

function resultFile({ containerId, ifName }: AttachmentParameters, { name = "" }: List): string {
  return cachedResultFile({ network: name, containerId, runtimeIfName: ifName });
}
