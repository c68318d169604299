import { cachedResultFile } from "../../shared/journal/host-files.ts";
import type { JsonObject } from "../../shared/protocol/json.ts";
import { networkNameRule } from "../../shared/protocol/names.ts";
import type { ConfiguredVerb } from "../../shared/protocol/request.ts";
import { type CniResult, isUnchainedVersion } from "../../shared/protocol/result.ts";
import type { List, ListedPlugin } from "../lists/list.ts";
import { type AttachmentParameters, callOf, callsOf } from "../live/libcni.ts";
import type { Machine } from "../model/machine.ts";
import { hasPassed, type Source, type Step, stepOf, stepsOf } from "./explain.ts";
import { exampleSource, unknownOf, unknownWords } from "./model-answers.ts";

/** Something of a container that is still on the host when the container is gone. */
export interface Left {
  readonly kind: keyof typeof kinds;
  readonly name: string;
}

/** How the model names its things, and what an operator calls them, in words before the name. The first one that fits counts. */
const kinds = {
  lease: [/^file .*\/([\d.]+|[\da-f:]*:[\da-f:.]*)$/, "lease"],
  file: [/^file (.*)/, "file"],
  masquerading: [/^rule POSTROUTING -s (\S+) /, "rules that masquerade"],
  "firewall rule": [/^rule CNI-FORWARD -s ([^/ ]+)/, "firewall's rules for"],
  port: [/^rule (?:CNI-HOSTPORT-DNAT|nft hostports) -p (.*) --dport (\d+) /, "rules of the port"],
  interface: [/^device (.*)/, "interface"],
} as const;

/** Returns what a container left on a host of the model. A bridge serves all containers, and stays. */
export function leftOf(machine: Machine, id: string): Left[] {
  // tuning leaves its file if the link or the namespace is gone: it may stay, so nobody is its maker.
  const named = [...machine.files.keys()].filter((path) => path.includes(`/${id}_`)).map((path) => `file ${path}`);
  const made = machine.things().flatMap(({ what, by }) => (by.has(id) ? what : []));
  const left = [...made, ...named].flatMap(leftFrom);
  return [...new Map(left.map((one) => [`${one.kind} ${one.name}`, one])).values()];
}

function leftFrom(what: string): Left[] {
  for (const kind of Object.keys(kinds) as Left["kind"][]) {
    const [, first, second] = kinds[kind][0].exec(what) ?? [];
    if (first !== undefined) return [{ kind, name: second === undefined ? first : `${second}/${first}` }];
  }
  return [];
}

/** Says what is left, in words. */
export function leftWords(left: readonly Left[]): string {
  return left.map(({ kind, name }) => `the ${kinds[kind][1]} ${name}`).join(", ");
}

/** What a verb fails with: the plugin, by its index, and its words. */
export interface Failure {
  /** Undefined if the runtime refuses the list. */
  readonly plugin?: number;
  readonly type?: string;
  readonly message: string;
}

/** The model does not know what a plugin of the list does. */
export class NotKnown extends Error {
  /** Its index. */
  readonly plugin: number;

  constructor(plugin: number, message: string) {
    super(message);
    this.plugin = plugin;
  }
}

/** The attachment of a call. */
interface Who {
  readonly id: string;
  readonly ifName?: string;
  /** The path of the namespace, or "" without one. */
  readonly netns?: string | undefined;
}

/** A list on a host of the model: a runtime's verbs. */
export class ListRun {
  readonly #list: List;
  readonly #machine: Machine;
  readonly #source: Source;
  readonly #results = new Map<string, CniResult>();

  /** `source` answers on `machine`. */
  constructor(list: List, machine: Machine, source: Source) {
    this.#list = list;
    this.#machine = machine;
    this.#source = source;
  }

  /** ADD. With `failsAtLast`, the last plugin fails and does nothing. */
  add(id: string, { ifName = "eth0", failsAtLast = false } = {}): Failure | undefined {
    const plugins = failsAtLast ? this.#list.plugins.slice(0, -1) : this.#list.plugins;
    const { failure, result } = this.#run({ ...this.#list, plugins }, "ADD", { id, ifName });
    if (failure) return failure;
    if (failsAtLast) return { message: "fails once" };
    if (result) this.#keep(id, ifName, result);
    return undefined;
  }

  check(id: string): Failure | undefined {
    return this.#run(this.#list, "CHECK", { id }, this.#results.get(`${id} eth0`)).failure;
  }

  del(id: string, { ifName = "eth0", netns }: Omit<Who, "id"> = {}): Failure | undefined {
    const result = this.#results.get(`${id} ${ifName}`);
    const { failure } = this.#run(this.#list, "DEL", { id, ifName, netns }, result);
    if (failure) return failure;
    this.#results.delete(`${id} ${ifName}`);
    this.#machine.files.delete(this.#resultFile(id, ifName));
    return undefined;
  }

  /** Wrappers read the results that libcni keeps. */
  #keep(id: string, ifName: string, result: CniResult): void {
    this.#results.set(`${id} ${ifName}`, result);
    const kept = { kind: "cniCacheV1", containerId: id, ifName, networkName: this.#list.name, result };
    this.#machine.writeFile(this.#resultFile(id, ifName), JSON.stringify({ ...kept, netns: `/run/netns/${id}` }), true);
  }

  #resultFile(id: string, ifName: string): string {
    return cachedResultFile({ network: `${this.#list.name}`, containerId: id, runtimeIfName: ifName });
  }

  #run(
    list: List,
    verb: ConfiguredVerb,
    { id, ifName = "eth0", netns = `/run/netns/${id}` }: Who,
    given?: CniResult,
  ): { failure?: Failure; result?: CniResult | undefined } {
    const attachment = { ...this.#source.attachment, containerId: id, ifName, netns };
    const calls = callsOf(list, verb, attachment, given);
    for (let next = calls.next(); ; ) {
      if (next.done) return { result: next.value };
      const [plugin, call] = next.value;
      const { index, type } = plugin;
      this.#expectKnown(plugin, verb);
      const refusal = refusalOf(list, plugin, verb);
      if (refusal !== undefined) return { failure: { plugin: index, type, message: refusal } };
      const step = stepOf(plugin, call, this.#source);
      if (!hasPassed(step)) return { failure: failureOf(step) };
      next = calls.next({ isPassed: true, output: step.answer.output });
    }
  }

  #expectKnown({ index, type, delegate, configuration, wrapper }: ListedPlugin, verb: ConfiguredVerb): void {
    if (type.includes("/")) return;
    const unknown = unknownWords({ delegate, configuration });
    if (unknown !== undefined) throw new NotKnown(index, unknown);
    if (wrapper.jq !== undefined && !this.#source.jq) throw new NotKnown(index, "wrapper.jq is not run here");
    if (verb === "ADD" && index > 0 && isUnchainedVersion(this.#list.cniVersion)) {
      throw new NotKnown(index, "lists of version 0.2.0 are unknown");
    }
  }
}

/** Why libcni, or a plugin's first check, refuses a call (pkg/invoke, FindInPath; pkg/utils, ValidateNetworkName). */
function refusalOf({ name = "" }: List, { type, isWrapped }: ListedPlugin, verb: ConfiguredVerb): string | undefined {
  if (type.includes("/")) return `invalid plugin name: ${type}`;
  const isChecked = verb === "ADD" || !isWrapped;
  if (!isChecked || networkNameRule.test(name)) return undefined;
  if (name === "") return "missing network name:";
  return `invalid characters found in network name; ${name}`;
}

/** Returns what a step failed with. */
export function failureOf({ plugin: { index, type }, answer }: Step): Failure {
  const { msg = "", details } = answer.output ?? {};
  return { plugin: index, type, message: details === undefined ? String(msg) : `${msg}; ${details}` };
}

/**
 * Returns how CHECK of a plain list fails after a script ran its ADD: the script gives each interface plugin a name of its own,
 * and merges the results. Undefined if CHECK passes, if ADD fails even so, or if the list is not of plain plugins.
 */
export function checkAfterScript(list: List, attachment: AttachmentParameters): Failure | undefined {
  const { plugins } = list;
  const interfacePlugins = plugins.filter(({ role }) => role === "creator");
  const isPlain = plugins.every((plugin) => !plugin.isWrapped && unknownOf(plugin) === undefined);
  if (!isPlain || interfacePlugins.length < 2) return undefined;
  const source = exampleSource(attachment);
  let result: CniResult = {};
  for (const plugin of plugins) {
    const place = interfacePlugins.indexOf(plugin);
    const own = place < 0 ? attachment : { ...attachment, ifName: `eth${place}` };
    const call = callOf(list, plugin.index, "ADD", own, place < 0 ? result : undefined);
    const step = stepOf(plugin, call, source);
    if (!hasPassed(step)) return undefined;
    result = place < 0 ? outputOf(step) : merged(result, outputOf(step));
  }
  const failed = stepsOf(list, "CHECK", source, result).find((step) => !hasPassed(step));
  return failed && failureOf(failed);
}

function outputOf({ answer }: Step): CniResult {
  return (answer.output ?? {}) as JsonObject & CniResult;
}

/** Appends a result to another one. Its addresses keep their interfaces. */
function merged(one: CniResult, other: CniResult): CniResult {
  const before = one.interfaces?.length ?? 0;
  const moved = (other.ips ?? []).map((ip) => ({ ...ip, interface: (ip.interface ?? 0) + before }));
  return {
    ...other,
    interfaces: [...(one.interfaces ?? []), ...(other.interfaces ?? [])],
    ips: [...(one.ips ?? []), ...moved],
  };
}
