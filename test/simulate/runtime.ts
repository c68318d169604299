import type { JsonObject } from "../../shared/protocol/json.ts";
import type { Machine } from "./machine.ts";
import { type Between, call, Ended, type Sabotage } from "./wrapper.ts";

/** The list of every container. */
export const list = {
  cniVersion: "1.1.0",
  name: "zone",
  plugins: [
    { type: "macvlan-wrapper", ipam: { type: "host-local", subnet: "10.1.0.0/24" } },
    { type: "bridge-wrapper", wrapper: { ifName: "eth1" }, ipam: { type: "host-local", subnet: "10.2.0.0/24" } },
    { type: "tuning-wrapper", wrapper: { ifName: "eth1" } },
  ],
} as const;

/** A verb failed: the words of the plugin. */
export class VerbFailed extends Error {}

/** A container as the runtime knows it. */
export interface Container {
  readonly id: string;
  readonly netns: string;
}

/** A runtime's calls of one list as libcni makes them (libcni/api.go). `between` also stands for the runtime's own end. */
export class Runtime {
  readonly #machine: Machine;
  readonly #sabotage: Sabotage;

  constructor(machine: Machine, sabotage: Sabotage) {
    this.#machine = machine;
    this.#sabotage = sabotage;
  }

  add(container: Container, between: Between): JsonObject {
    let result: JsonObject | undefined;
    for (const plugin of list.plugins) result = this.#run("ADD", plugin, container, result, between);
    this.#between(between, "before the result is cached");
    const { id: containerId, netns } = container;
    const known = { kind: "cniCacheV1", containerId, ifName: "eth0", networkName: list.name, netns, result };
    this.#machine.writeFile(cacheFile(container), JSON.stringify(known));
    return result ?? {};
  }

  check(container: Container, between: Between): void {
    const result = this.cached(container);
    for (const plugin of list.plugins) this.#run("CHECK", plugin, container, result, between);
  }

  del(container: Container, between: Between): void {
    const result = this.cached(container);
    for (const plugin of list.plugins.toReversed()) this.#run("DEL", plugin, container, result, between);
    this.#between(between, "before the cached result is removed");
    this.#machine.files.delete(cacheFile(container));
  }

  /** libcni's GC first runs DEL for the cached attachments that are not valid. */
  gc(valid: readonly Container[], known: readonly Container[], between: Between): void {
    const isValid = ({ id }: Container) => valid.some((each) => each.id === id);
    for (const each of known) if (!isValid(each) && this.cached(each)) this.del(each, between);
    const attachments = valid.map(({ id }) => ({ containerID: id, ifname: "eth0" }));
    const keys = { "cni.dev/attachments": attachments, "cni.dev/valid-attachments": attachments };
    for (const plugin of list.plugins) this.#run("GC", { ...plugin, ...keys }, undefined, undefined, between);
  }

  cached(container: Container): JsonObject | undefined {
    const text = this.#machine.files.get(cacheFile(container))?.text;
    return text === undefined ? undefined : JSON.parse(text).result;
  }

  #run(
    verb: string,
    plugin: { readonly type: string },
    container: Container | undefined,
    prevResult: JsonObject | undefined,
    between: Between,
  ): JsonObject | undefined {
    this.#between(between, `before ${verb} of ${plugin.type}`);
    const of = container ?? { id: "", netns: "" };
    const isThere = verb === "DEL" ? this.#machine.namespaces.has(of.netns) : true;
    const env = {
      CNI_COMMAND: verb,
      CNI_CONTAINERID: of.id,
      CNI_NETNS: isThere ? of.netns : "",
      CNI_IFNAME: container ? "eth0" : "",
      CNI_PATH: "/opt/cni/bin",
    };
    const config = { ...plugin, name: list.name, cniVersion: list.cniVersion, ...(prevResult && { prevResult }) };
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

function cacheFile({ id }: Container): string {
  return `/var/lib/cni/results/${list.name}-${id}-eth0`;
}
