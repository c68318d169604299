import type { JsonObject } from "../../shared/protocol/json.ts";
import type { Link, Machine, Namespace } from "./machine.ts";
import type { FilledIp } from "./network.ts";
import { namesOf, type PluginCall, PluginError, resultOf } from "./plugin.ts";

/** The differences between bridge, macvlan, ipvlan and the other creators. */
export interface Kind {
  /** Its link, as the kernel calls it. */
  readonly link: string;
  /** ADD takes it first, and if it then fails, it gives the lease back. */
  readonly first: "link" | "lease";
  /** DEL frees the lease before it deletes the link; else after it. */
  readonly freesFirst: boolean;
  /** Every call begins with it. */
  readonly begin?: (machine: Machine, call: PluginCall) => void;
  /** Fails if a link of this name is there, or uses it. */
  readonly ifTaken: (name: string, config: JsonObject) => string | undefined;
  /** What it does with its host side. Returns what it reports of it. */
  readonly hostSide?: (machine: Machine, call: PluginCall, link: Link) => JsonObject[];
  /** Whether it asks for an IPAM plugin even if the configuration names none. */
  readonly needsIpam?: true;
  /** DEL does nothing without CNI_NETNS, and fails if the namespace is gone. */
  readonly needsNamespace?: true;
  /** Fills in what IPAM gave, and returns the routes that it adds. */
  readonly plan?: (config: JsonObject, ips: FilledIp[], routes: readonly JsonObject[]) => JsonObject[];
  /** What it does when the addresses are set. */
  readonly finish?: (machine: Machine, call: PluginCall, made: { link: Link; ips: FilledIp[] }) => void;
  /** What it does on the host before DEL takes the link. */
  readonly unmake?: (machine: Machine, call: PluginCall, link: Link | undefined) => void;
  /** What CHECK says about the interfaces of the result. */
  readonly checkLinks: (machine: Machine, call: PluginCall) => void;
}

export const vethTaken = (name: string) => `container veth name ("${name}") peer provided ("...") already exists`;

/** The interface of a call in its prevResult, which must have the call's namespace (all cmdCheck). */
export function ownInterface(call: PluginCall, words = "Sandbox"): JsonObject {
  const { ifName, netns } = namesOf(call);
  const own = resultOf(call.config).interfaces.findLast(({ name, sandbox }) => name === ifName && sandbox === netns);
  if (!own) throw new PluginError(`${words} in prevResult  doesn't match configured netns: ${netns}`);
  return own;
}

export function namespaceIn({ namespaces }: Machine, { env }: PluginCall): Namespace | undefined {
  return namespaces.get(env.CNI_NETNS ?? "");
}

/** CHECK of the plugins with one interface compares its kind and its MAC. */
export const checkLink =
  (kind: string, words: { sandbox?: string; missing: string; type?: string; mac?: string }): Kind["checkLinks"] =>
  (machine, call) => {
    const own = ownInterface(call, words.sandbox);
    const { ifName } = namesOf(call);
    const link = namespaceIn(machine, call)?.links.get(ifName);
    if (!link) throw new PluginError(`${words.missing} in prevResult: ${ifName} not found`);
    if (words.type && link.kind !== kind) {
      throw new PluginError(
        `${words.type}: Container interface ${ifName} not of type ${kind === "veth" ? "veth/p2p" : kind}`,
      );
    }
    if (words.mac && own.mac && own.mac !== link.mac) {
      throw new PluginError(`${words.mac} ${ifName} Mac ${own.mac} doesn't match container Mac: ${link.mac}`);
    }
  };
