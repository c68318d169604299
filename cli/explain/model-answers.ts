import { profiles } from "../../plugins/index.ts";
import type { Host } from "../../shared/host/host.ts";
import { profileOf } from "../../shared/plugin/profile.ts";
import { isJsonObject, type JsonObject, objectOf } from "../../shared/protocol/json.ts";
import { portRange } from "../../shared/protocol/options.ts";
import { near } from "../../shared/protocol/spelling.ts";
import { ipamTypeOf } from "../lists/ipam.ts";
import { hasCapability, type List, type ListedPlugin, runtimeIfName } from "../lists/list.ts";
import type { AttachmentParameters, Call } from "../live/libcni.ts";
import { chained } from "../model/chained.ts";
import { creator, creators } from "../model/creators.ts";
import { ipamOf } from "../model/ipam.ts";
import { Machine } from "../model/machine.ts";
import type { Plugin } from "../model/plugin.ts";
import { runToEnd } from "../model/verbs.ts";
import { viewOf } from "../model/view.ts";
import { goView } from "../schema/go-view.ts";
import { schemasOf } from "../schema/plugin.ts";
import { Trouble } from "../terminal.ts";
import type { Answer, Source } from "./explain.ts";

/** Says what of a plugin the model does not know: the plugin, or its IPAM plugin. */
export function unknownOf({ delegate, configuration }: Pick<ListedPlugin, "delegate" | "configuration">) {
  if (!isModelled(delegate)) return delegate;
  const ipam = ipamTypeOf(configuration);
  return ipam === undefined || simulatedIpam.includes(ipam) ? undefined : ipam;
}

/** The plugins and IPAM plugins that the model has. */
export function simulatedPlugins(): readonly string[] {
  return [...Object.keys(modelled), ...simulatedIpam].sort();
}

const simulatedIpam: readonly string[] = ["host-local", "static"];

/** Says in words why the model cannot tell what a plugin does; undefined if it can. */
export function unknownWords(plugin: Pick<ListedPlugin, "delegate" | "configuration">): string | undefined {
  const unknown = unknownOf(plugin);
  if (unknown === undefined) return undefined;
  const names = isModelled(plugin.delegate) ? [...simulatedIpam, "dhcp"] : Object.keys({ ...modelled, ...profiles });
  if (names.includes(unknown)) return `${unknown} is not simulated here`;
  const meant = near(unknown, names);
  return `${unknown} is unknown${meant === undefined ? "" : `; the nearest name is ${meant}`}`;
}

const modelled: Readonly<Record<string, Plugin>> = { ...creators, ...chained };

function isModelled(type: string): boolean {
  return Object.hasOwn(modelled, type);
}

/**
 * Returns a function that answers as the plugins do on a host of the model. An unknown plugin passes with an example: an
 * interface, and an address for documentation.
 */
function modelAnswers(machine: Machine): Source["answer"] {
  const interfaces: string[] = [];
  return ({ wrapper }, type, { environment, stdin }): Answer => {
    machine.maker = environment.CNI_CONTAINERID ?? "";
    // No two entries of a journal begin at the same time.
    machine.wait(1);
    const chooser = unknownOf({ delegate: "bridge", configuration: stdin });
    const { CNI_IFNAME: ifName = "" } = environment;
    if (chooser !== undefined && !interfaces.includes(ifName)) interfaces.push(ifName);
    const seen = seenByGo(type, stdin);
    const config = chooser === undefined ? seen : withExample(seen, interfaces.indexOf(ifName));
    const known = isModelled(type) ? modelled[type] : undefined;
    const plugin = known ?? (type === ipamTypeOf(stdin) ? ipamAlone : example(type, wrapper.role, stdin));
    const call = { env: environment, config };
    const { exitCode, output } = runToEnd(machine, { type, plugin, call });
    const isChosen = chooser !== undefined && output?.ips !== undefined;
    return { exitCode, output, ...(isChosen && { chosenBy: chooser === "dhcp" ? "DHCP" : chooser }) };
  };
}

/** A configuration with the keys in the plugin's spelling. A key with null is none. */
function seenByGo(delegate: string, configuration: JsonObject): JsonObject {
  const { common, own } = schemasOf({ delegate, configuration });
  const view = goView(goView(configuration, common, true), own, true) as JsonObject;
  return Object.fromEntries(Object.entries(view).filter(([, value]) => value !== null));
}

function withExample({ ipam, ...rest }: JsonObject, place: number): JsonObject {
  const { routes, type } = objectOf(ipam);
  const given = type === "dhcp" ? [{ dst: "0.0.0.0/0", gw: "192.0.2.1" }] : routes;
  // Addresses for documentation (RFC 5737), one for each interface: a server outside the host chooses the real ones.
  const addresses = [{ address: `192.0.2.${10 + (place % 240)}/24`, gateway: "192.0.2.1" }];
  return { ...rest, ipam: { type: "static", addresses, ...(given !== undefined && { routes: given }) } };
}

/** Returns a plugin that makes an interface, or one that changes nothing. */
function example(type: string, written: unknown, { prevResult }: Call["stdin"]): Plugin {
  const role = profileOf(type, profiles)?.role ?? written ?? (prevResult ? "meta" : "creator");
  if (role !== "creator") return idle;
  return creator({ link: type, first: "link", freesFirst: true, ifTaken: () => undefined, checkLinks() {} });
}

/** A plugin that changes nothing. */
const idle: Plugin = {
  // biome-ignore lint/correctness/useYield: it does nothing on the host
  *add(_, { config }) {
    return isJsonObject(config.prevResult) ? config.prevResult : { cniVersion: config.cniVersion };
  },
  check() {},
  *del() {},
};

/** An IPAM plugin whose DEL the wrapper runs, because the plugin's own would free nothing. */
const ipamAlone: Plugin = {
  ...idle,
  // biome-ignore lint/correctness/useYield: it changes one thing
  *del(machine, call) {
    ipamOf(call.config).release(machine, call);
  },
};

/** Returns a source that answers as the plugins do on a host of the model, on which nothing is yet but the container. */
export function exampleSource(attachment: AttachmentParameters, jq?: Host["jq"], machine = new Machine()): Source {
  if (!machine.namespaces.has(attachment.netns)) machine.addNamespace(attachment.netns);
  return { attachment, state: viewOf(machine), jq, answer: modelAnswers(machine) };
}

/** Returns an attachment of an invented container, with the ports that a person named, or with invented ones. */
export function exampleAttachment(list: List, ports: readonly string[] = [], args = ""): AttachmentParameters {
  const mappings = ports.length > 0 ? ports.map(portMapping) : inventedPorts(list);
  return {
    containerId: "example",
    netns: "/run/netns/example",
    ifName: runtimeIfName,
    args,
    pluginPath: pluginPath(list.isDropIn),
    capabilityArgs: mappings.length > 0 ? { portMappings: mappings } : {},
  };
}

/** The CNI_PATH of a runtime on a host of the documentation. */
export function pluginPath(isDropIn: boolean): string {
  return isDropIn ? "/opt/cni/first:/opt/cni/bin" : "/opt/cni/bin";
}

/** Parses a port mapping such as `8080:80` or `8080:80/udp`. Throws Trouble if it is none. */
function portMapping(text: string): JsonObject {
  const [, host, container, protocol = "tcp"] = /^(\d{1,5}):(\d{1,5})(?:\/(tcp|udp|sctp))?$/.exec(text) ?? [];
  if (host === undefined) throw new Trouble(`--port ${text}: write it like 8080:80 or 8080:80/udp`);
  const [hostPort, containerPort] = [Number(host), Number(container)];
  const isPossible = [hostPort, containerPort].every((port) => port >= 1 && port <= 65_535);
  if (!isPossible) throw new Trouble(`--port ${text}: a port is from 1 to 65535`);
  return { hostPort, containerPort, protocol };
}

// Port 80, and one port for each plugin that asks for some of its own.
function inventedPorts({ plugins }: List): JsonObject[] {
  const capable = plugins.filter((plugin) => hasCapability(plugin, "portMappings"));
  if (capable.length === 0) return [];
  const own = capable.flatMap(({ wrapper }) => {
    const only = isJsonObject(wrapper.ports) ? wrapper.ports.only : undefined;
    return Array.isArray(only) ? (portRange(only[0])?.[0] ?? []) : [];
  });
  return [...new Set([80, ...own])].map((port) => portMapping(`${20_000 + (port % 10_000)}:${port}`));
}
