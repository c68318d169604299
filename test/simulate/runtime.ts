import type { JsonObject } from "../../shared/protocol/json.ts";
import { type Container, lists } from "./lists.ts";
import type { Machine } from "./machine.ts";
import { type Between, call, Ended, type Sabotage } from "./wrapper.ts";

/** A verb failed: the words of the plugin. */
export class VerbFailed extends Error {}

/** A runtime's calls as libcni makes them (libcni/api.go). `between` also stands for the runtime's own end. */
export class Runtime {
  readonly #machine: Machine;
  readonly #sabotage: Sabotage;

  constructor(machine: Machine, sabotage: Sabotage) {
    this.#machine = machine;
    this.#sabotage = sabotage;
  }

  add(container: Container, between: Between): JsonObject {
    let result: JsonObject | undefined;
    const { list, id: containerId, ifName, netns } = container;
    for (const plugin of lists[list].plugins) result = this.#run("ADD", plugin, container, result, between);
    this.#between(between, "before the result is cached");
    const known = { kind: "cniCacheV1", containerId, ifName, networkName: list, netns, result };
    this.#machine.writeFile(cacheFile(container), JSON.stringify(known));
    return result ?? {};
  }

  check(container: Container, between: Between): void {
    const result = this.cached(container);
    for (const plugin of lists[container.list].plugins) this.#run("CHECK", plugin, container, result, between);
  }

  del(container: Container, between: Between): void {
    const result = this.cached(container);
    for (const plugin of lists[container.list].plugins.toReversed()) {
      this.#run("DEL", plugin, container, result, between);
    }
    this.#between(between, "before the cached result is removed");
    this.#machine.files.delete(cacheFile(container));
  }

  /** libcni's GC of one list first runs DEL for the cached attachments that are not valid. */
  gc(list: Container["list"], valid: readonly Container[], known: readonly Container[], between: Between): void {
    for (const each of known) if (!valid.includes(each) && this.cached(each)) this.del(each, between);
    const attachments = valid.map(({ id, ifName }) => ({ containerID: id, ifname: ifName }));
    const keys = { "cni.dev/attachments": attachments, "cni.dev/valid-attachments": attachments };
    const none = { id: "", netns: "", ifName: "", list };
    for (const plugin of lists[list].plugins) this.#run("GC", { ...plugin, ...keys }, none, undefined, between);
  }

  cached(container: Container): JsonObject | undefined {
    const text = this.#machine.files.get(cacheFile(container))?.text;
    return text === undefined ? undefined : JSON.parse(text).result;
  }

  #run(
    verb: string,
    plugin: { readonly type: string },
    container: Omit<Container, "links" | "leases">,
    prevResult: JsonObject | undefined,
    between: Between,
  ): JsonObject | undefined {
    this.#between(between, `before ${verb} of ${plugin.type}`);
    const { id, netns, ifName, list } = container;
    const isThere = verb === "DEL" ? this.#machine.namespaces.has(netns) : true;
    const env = {
      CNI_COMMAND: verb,
      CNI_CONTAINERID: id,
      CNI_NETNS: isThere ? netns : "",
      CNI_IFNAME: ifName,
      CNI_PATH: "/opt/cni/bin",
    };
    const config = { ...plugin, name: list, cniVersion: "1.1.0", ...(prevResult && { prevResult }) };
    const { exitCode, answer } = call(this.#machine, plugin.type, { env, config }, between, this.#sabotage);
    if (exitCode !== 0) throw new VerbFailed(`${verb} of ${plugin.type}: ${JSON.stringify(answer)}`);
    return answer;
  }

  #between(between: Between, where: string): void {
    const { boot } = this.#machine;
    between(where);
    if (this.#machine.boot !== boot) throw new Ended();
  }
}

/** The file in which libcni keeps the result of an attachment. */
export function cacheFile({ id, list, ifName }: Container): string {
  return `/var/lib/cni/results/${list}-${id}-${ifName}`;
}
