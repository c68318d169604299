import type { Host } from "../../shared/host/host.ts";
import type { List } from "../lists/list.ts";
import type { AttachmentParameters } from "../live/libcni.ts";
import { type Link, Machine } from "../model/machine.ts";
import { isIn } from "../model/network.ts";
import { withoutPrefix } from "../model/plugin.ts";
import { publishedPorts } from "../model/portmap.ts";
import { exampleSource } from "./example-source.ts";
import { ListRun, NotKnown } from "./list-run.ts";

/** A device of the host, and the container's interfaces that hang on it. */
export interface Device {
  /** Undefined for interfaces that have no other end on the host. */
  readonly name: string | undefined;
  readonly addresses: readonly string[];
  readonly kind: string;
  readonly interfaces: readonly SceneInterface[];
}

/** An interface of the container. */
export interface SceneInterface {
  readonly name: string;
  readonly kind: string;
  readonly addresses: readonly string[];
  /** Who reaches it, in words. */
  readonly reach: string;
}

/** What is there after a list's first ADD, whether it passed or not. */
export type Scene = ReturnType<typeof sceneOf>;

/** Returns what a list's ADD makes on a host of the model. `notRun` are the types of the plugins that did not run. */
export function sceneOf(list: List, attachment: AttachmentParameters, jq: Host["jq"]) {
  const machine = new Machine();
  const { containerId: id } = attachment;
  const namespace = machine.addNamespace(`/run/netns/${id}`);
  const end = endOf(list, () => new ListRun(list, machine, exampleSource(attachment, jq, machine)).add(id));
  const devices = new Map<string, Device>();
  const add = (key: string, device: Omit<Device, "interfaces">, one: SceneInterface[]) => {
    devices.set(key, { ...device, interfaces: [...(devices.get(key)?.interfaces ?? []), ...one] });
  };
  for (const [name, link] of namespace.links) {
    const host = deviceOf(machine, link, name);
    const reach = reachOf(link, host.addresses, host.name);
    add(host.name ?? `alone ${name}`, host, [{ name, kind: link.kind, addresses: link.addresses, reach }]);
  }
  for (const [name, { addresses }] of machine.bridges) {
    if (!devices.has(name)) add(name, { name, addresses, kind: "bridge" }, []);
  }
  const ports = publishedPorts(machine).map(({ port, to }) => `Port ${port} of the host leads to ${to}.`);
  const rest = end ? list.plugins.slice(end.plugin.index + 1) : [];
  return { devices: [...devices.values()], ports, end, notRun: rest.map(({ type }) => type) };
}

/** The plugin at which the ADD ended, with its words. */
function endOf({ plugins }: List, add: () => ReturnType<ListRun["add"]>) {
  try {
    const failure = add();
    const plugin = plugins[failure?.plugin ?? -1];
    return failure && plugin && { plugin, isKnown: true, message: failure.message };
  } catch (error) {
    if (!(error instanceof NotKnown)) throw error;
    const plugin = plugins[error.plugin];
    return plugin && { plugin, isKnown: false, message: error.message };
  }
}

function deviceOf(machine: Machine, link: Link, name: string): Omit<Device, "interfaces"> {
  if (link.bridge !== undefined) {
    return { name: link.bridge, kind: "bridge", addresses: machine.bridges.get(link.bridge)?.addresses ?? [] };
  }
  if (link.hostEnd !== undefined) return { name: `veth of ${name}`, kind: "veth", addresses: [] };
  const master = link.attributes.get("master") || (link.kind.endsWith("vlan") ? machine.defaultDevice : undefined);
  if (master !== undefined) return { name: String(master), kind: "card", addresses: [] };
  const device = link.attributes.get("device");
  return { name: device === undefined ? device : String(device), kind: "card, in the container now", addresses: [] };
}

function reachOf({ kind, addresses, bridge }: Link, gateways: readonly string[], device: string | undefined): string {
  if (addresses.length === 0) return "It has no address.";
  const own = addresses.map(withoutPrefix);
  const isOnBridge = own.every((one) => gateways.some((gateway) => isIn(gateway, one)));
  const isRouted = kind === "veth" && (bridge === undefined || isOnBridge);
  const names = own.join(" and ");
  if (isRouted) return `The host reaches ${names}.`;
  if (bridge !== undefined) return `The host has no address on ${bridge}: only what is on the bridge reaches ${names}.`;
  if (device === undefined) return `The host does not reach ${names}.`;
  return `The host does not reach ${names}: the network of ${device} does.`;
}
