import type { Host } from "../../shared/host/host.ts";
import { cachedResultFile } from "../../shared/journal/host-files.ts";
import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import type { ConfiguredVerb } from "../../shared/protocol/request.ts";
import type { CniResult } from "../../shared/protocol/result.ts";
import { isUnchainedVersion } from "../../shared/protocol/versions.ts";
import type { List, ListedPlugin } from "../lists/list.ts";
import { type Attachment, callOf, callOrder } from "../live/libcni.ts";
import { chained } from "./chained.ts";
import { creators } from "./creators.ts";
import { hasIpam } from "./ipam.ts";
import type { Machine } from "./machine.ts";
import { plainCall, type Reply, type Task, wrapperCall } from "./wrapper.ts";

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

const modelled = { ...creators, ...chained };

/** A list on a host of the model: a runtime's verbs, as libcni makes them (libcni/api.go). */
export class ListRun {
  readonly #list: List;
  readonly #machine: Machine;
  readonly #attachment: Attachment;
  readonly #jq: Host["jq"];
  readonly #results = new Map<string, CniResult>();

  constructor(list: List, machine: Machine, attachment: Attachment, jq: Host["jq"]) {
    this.#list = list;
    this.#machine = machine;
    this.#attachment = attachment;
    this.#jq = jq;
  }

  /** ADD. With `failsAtLast`, the last plugin fails and does nothing. */
  add(id: string, { ifName = "eth0", failsAtLast = false } = {}): Failure | undefined {
    let result: CniResult | undefined;
    for (const index of callOrder(this.#list, "ADD")) {
      const isLast = index === this.#list.plugins.length - 1;
      if (isLast && failsAtLast) return { message: "fails once" };
      const { failure, answer } = this.#call("ADD", index, { id, ifName }, result);
      if (failure) return failure;
      if (!isLast && isUnchainedVersion(this.#list.cniVersion))
        throw new NotKnown(index, "lists of version 0.2.0 are unknown");
      result = answer as CniResult;
    }
    if (result) this.#keep(id, ifName, result);
    return undefined;
  }

  check(id: string): Failure | undefined {
    const result = this.#results.get(`${id} eth0`);
    for (const index of callOrder(this.#list, "CHECK")) {
      const { failure } = this.#call("CHECK", index, { id, ifName: "eth0" }, result);
      if (failure) return failure;
    }
    return undefined;
  }

  del(id: string, { ifName = "eth0", netns = `/run/netns/${id}` } = {}): Failure | undefined {
    const result = this.#results.get(`${id} ${ifName}`);
    for (const index of callOrder(this.#list, "DEL")) {
      const { failure } = this.#call("DEL", index, { id, ifName, netns }, result);
      if (failure) return failure;
    }
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

  #call(
    verb: ConfiguredVerb,
    index: number,
    { id, ifName, netns = `/run/netns/${id}` }: { id: string; ifName: string; netns?: string },
    result: CniResult | undefined,
  ): { failure?: Failure; answer?: JsonObject | undefined } {
    const plugin = this.#list.plugins[index] as ListedPlugin;
    if (!plugin.type.includes("/")) this.#expectKnown(plugin);
    const refusal = refusalOf(this.#list, plugin, verb);
    if (refusal !== undefined) return { failure: { plugin: index, type: plugin.type, message: refusal } };
    const attachment = { ...this.#attachment, containerId: id, ifName, netns };
    const { environment: env, stdin: config } = callOf(this.#list, index, verb, attachment, result);
    this.#machine.maker = id;
    const { exitCode, answer } = ended(this.#start(plugin, { env, config }));
    if (exitCode === 0) return { answer };
    const { msg = "", details } = answer ?? {};
    const message = details === undefined ? String(msg) : `${msg}; ${details}`;
    return { failure: { plugin: index, type: plugin.type, message } };
  }

  #start({ type, isWrapped }: ListedPlugin, call: { env: Record<string, string>; config: JsonObject }): Task<Reply> {
    const never = () => false;
    if (!isWrapped) return plainCall(this.#machine, type, call, never);
    return wrapperCall(this.#machine, type, call, never, this.#jq ? { jq: this.#jq } : {});
  }

  #expectKnown({ index, delegate, configuration, wrapper }: ListedPlugin): void {
    const { ipam } = configuration;
    const address = isJsonObject(ipam) && hasIpam(configuration) ? String(ipam.type) : "static";
    if (!(delegate in modelled)) throw new NotKnown(index, `${delegate} is unknown`);
    if (address !== "static" && address !== "host-local") throw new NotKnown(index, `${address} is unknown`);
    if (wrapper.jq !== undefined && !this.#jq) throw new NotKnown(index, "wrapper.jq is not run here");
  }
}

/** Why libcni, or a plugin's first check, refuses a call (pkg/invoke, FindInPath; pkg/utils, ValidateNetworkName). */
function refusalOf({ name = "" }: List, { type, isWrapped }: ListedPlugin, verb: ConfiguredVerb): string | undefined {
  if (type.includes("/")) return `invalid plugin name: ${type}`;
  const isChecked = verb === "ADD" || !isWrapped;
  if (!isChecked || /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(name)) return undefined;
  return `invalid characters found in network name; ${name}`;
}

function ended<T>(task: Task<T>): T {
  for (;;) {
    const step = task.next();
    if (step.done) return step.value;
  }
}
