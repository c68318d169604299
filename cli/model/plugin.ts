import { isJsonObject, type JsonObject, objectOf, objectsOf } from "../../shared/protocol/json.ts";
import type { Link, Machine, Namespace } from "./machine.ts";

/** A call of a plugin. */
export interface PluginCall {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly config: JsonObject;
}

/** The work of a plugin, with a point after each change of the host, where it may end. */
export type Steps<T = void> = Generator<string, T>;

/** The plugin's error, as it prints it. */
export class PluginError extends Error {}

/** A plugin: what its verbs do to the host. */
export interface Plugin {
  add(machine: Machine, call: PluginCall): Steps<JsonObject>;
  check(machine: Machine, call: PluginCall): void;
  del(machine: Machine, call: PluginCall): Steps;
}

/** The names in a call that plugins name their things by. */
export function namesOf({ env, config }: PluginCall) {
  const { CNI_CONTAINERID: containerId = "", CNI_NETNS: netns = "", CNI_IFNAME: ifName = "" } = env;
  return { containerId, netns, ifName, network: String(config.name) };
}

/** Opens the namespace of a call, which must be there. */
export function open(machine: Machine, { env }: PluginCall): Namespace {
  const namespace = machine.namespaces.get(env.CNI_NETNS ?? "");
  if (!namespace)
    throw new PluginError(
      `failed to open netns "${env.CNI_NETNS}": failed to Statfs "${env.CNI_NETNS}": no such file or directory`,
    );
  return namespace;
}

/** Returns the links of a kind that a card or bridge carries. */
export function linksOn(machine: Machine, kind: Link["kind"], master: unknown): Link[] {
  const links = machine.allNamespaces().flatMap((namespace) => [...namespace.links.values()]);
  return links.filter((link) => link.kind === kind && link.attributes.get("master") === master);
}

/** The interfaces and addresses of a call's prevResult. */
export function resultOf({ prevResult }: JsonObject): { interfaces: JsonObject[]; ips: JsonObject[] } {
  const { interfaces, ips } = objectOf(prevResult);
  return { interfaces: objectsOf(interfaces), ips: objectsOf(ips) };
}

/** Returns prevResult, which a chained plugin passes on. */
export function passedOn({ prevResult }: JsonObject, words = "must be called as chained plugin"): JsonObject {
  if (!isJsonObject(prevResult)) throw new PluginError(words);
  return prevResult;
}
