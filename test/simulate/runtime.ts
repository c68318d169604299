import { cachedResultFile } from "../../shared/journal/host-files.ts";
import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import { plugins } from "./plugins.ts";
import { plainCall, type Reply, type Sabotage, type Stops, type Task, wrapperCall } from "./process.ts";
import type { SimulatedMachine } from "./simulated-machine.ts";

/** A plugin configuration of a list. */
export type ListedPlugin = JsonObject & { readonly type: string };

/** An attachment, as the runtime knows it. */
export interface Attachment {
  readonly container: string;
  readonly list: string;
  /** The runtime's interface name. */
  readonly ifName: string;
}

/** A verb failed: the words of the plugin. */
export class VerbFailed extends Error {}

/** One verb of a runtime: whose it is, the plugins of the list, where it stops. */
export interface Verb {
  readonly of: Attachment;
  readonly plugins: readonly ListedPlugin[];
  readonly stops: Stops;
  /** CNI_NETNS of DEL. */
  readonly netns?: string;
}

/** A runtime's calls as libcni makes them (libcni/api.go). */
export class Runtime {
  /** The call of a plugin that is under way. If the runtime ends, it goes on. */
  call: Task<Reply> | undefined;
  /** Whether a wrapper of the verb has passed. */
  hasPassed = false;
  readonly #machine: SimulatedMachine;
  readonly #sabotage: Sabotage;

  constructor(machine: SimulatedMachine, sabotage: Sabotage) {
    this.#machine = machine;
    this.#sabotage = sabotage;
  }

  *add(verb: Verb): Task<JsonObject> {
    let result: JsonObject = {};
    for (const plugin of verb.plugins) {
      const prevResult = plugin === verb.plugins[0] ? undefined : result;
      result = (yield* this.#run("ADD", verb, plugin, prevResult)) ?? {};
    }
    if (verb.stops("before the result is kept")) yield "before the result is kept";
    const { container: containerId, list: networkName, ifName } = verb.of;
    const kept = { kind: "cniCacheV1", containerId, ifName, networkName, netns: netnsOf(verb.of), result };
    this.#machine.writeFile(resultFile(verb.of), JSON.stringify(kept));
    return result;
  }

  *check(verb: Verb): Task<undefined> {
    const result = this.resultOf(verb.of);
    for (const plugin of verb.plugins) yield* this.#run("CHECK", verb, plugin, result);
  }

  *del(verb: Verb): Task<undefined> {
    const result = this.resultOf(verb.of);
    for (const plugin of verb.plugins.toReversed()) yield* this.#run("DEL", verb, plugin, result);
    if (verb.stops("before the result is removed")) yield "before the result is removed";
    this.#machine.files.delete(resultFile(verb.of));
  }

  /** GC of one list, after libcni's own DEL for each of its results that is not valid. It knows the paths of the namespaces. */
  *gc(
    list: string,
    plugins: readonly ListedPlugin[],
    valid: readonly Attachment[],
    invalid: readonly Attachment[],
  ): Task<undefined> {
    const stops = () => false;
    for (const of of invalid) {
      if (this.resultOf(of)) yield* this.del({ of, plugins, stops, netns: netnsOf(of) });
    }
    const attachments = valid.map(({ container, ifName }) => ({ containerID: container, ifname: ifName }));
    const keys = { "cni.dev/attachments": attachments, "cni.dev/valid-attachments": attachments };
    const none = { of: { container: "", list, ifName: "" }, plugins, stops, netns: "" };
    for (const plugin of plugins) yield* this.#run("GC", none, { ...plugin, ...keys }, undefined);
  }

  resultOf(of: Attachment): JsonObject | undefined {
    const text = this.#machine.files.get(resultFile(of))?.text;
    return text === undefined ? undefined : JSON.parse(text).result;
  }

  *#run(
    command: string,
    { of, stops, netns = netnsOf(of) }: Verb,
    plugin: ListedPlugin,
    prevResult: JsonObject | undefined,
  ): Task<JsonObject | undefined> {
    const env = {
      CNI_COMMAND: command,
      CNI_CONTAINERID: of.container,
      CNI_NETNS: netns,
      CNI_IFNAME: of.ifName,
      CNI_PATH: "/opt/cni/bin",
    };
    const config = {
      ...small(plugin),
      name: of.list,
      cniVersion: "1.1.0",
      ...(plugin.capabilities !== undefined && { runtimeConfig: { portMappings: portMappingsOf(of) } }),
      ...(prevResult && { prevResult }),
    };
    const { type } = plugin;
    const call = { env, config };
    this.call = type.endsWith("-wrapper")
      ? wrapperCall(this.#machine, type, call, stops, this.#sabotage)
      : plainCall(this.#machine, { type, plugin: plugins[type], call }, stops);
    const point = `${command} of ${plugin.type} begins`;
    if (stops(point)) yield point;
    const { exitCode, answer } = yield* this.call;
    if (exitCode !== 0) throw new VerbFailed(`${command} of ${plugin.type}: ${JSON.stringify(answer)}`);
    this.hasPassed ||= type.endsWith("-wrapper");
    return answer;
  }
}

/** A pool has so few addresses that a container soon gets one that another had. bandwidth has limits. */
function small(plugin: ListedPlugin): JsonObject {
  const ipam = isJsonObject(plugin.ipam) ? plugin.ipam : {};
  const rangeEnd = String(ipam.subnet).replace(/0\/24$/, "9");
  const limits = plugin.type === "bandwidth-wrapper" ? { egressRate: 1e6, egressBurst: 1e6 } : {};
  return { ...plugin, ...limits, ...(typeof ipam.subnet === "string" && { ipam: { ...ipam, rangeEnd } }) };
}

/** Returns the path of a container's namespace. */
export function netnsOf({ container }: Attachment): string {
  return `/run/netns/${container}`;
}

const ifNames = ["eth0", "eth1", "eth2", "net1", "net2"];

/** Returns the published ports of an attachment such as `c1 za eth0`: 80, 81 and 82 of the container. No other one has its ports of the host. */
export function portMappingsOf({ container, list, ifName }: Attachment): JsonObject[] {
  const base =
    10_000 + Number(container.slice(1)) * 1000 + (list.charCodeAt(1) - 97) * 100 + ifNames.indexOf(ifName) * 10;
  return [80, 81, 82].map((containerPort) => ({ hostPort: base + containerPort - 80, containerPort, protocol: "tcp" }));
}

/** The file in which libcni keeps the result of an attachment. */
export function resultFile({ container, list, ifName }: Attachment): string {
  return cachedResultFile({ network: list, containerId: container, runtimeIfName: ifName });
}
