import { attachmentsOf } from "../../shared/attachment/attachments.ts";
import { withOwnPorts } from "../../shared/call/delegate-call.ts";
import { goLookup, isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import { isPorts, type PortsOption } from "../../shared/protocol/options.ts";
import type { CniResult, Interface } from "../../shared/protocol/result.ts";
import type { ListedPlugin } from "../lists/list.ts";
import { deviceName, reportedBy } from "../lists/reported.ts";
import type { Explanation, Step } from "./explain.ts";

/** The attachment of a container, for a drawing. */
export interface Scene {
  readonly container: string;
  readonly interfaces: readonly Drawn[];
}

/** One container interface, with everything that leads to it. */
export interface Drawn {
  readonly ifName: string;
  /** The type of the plugin that made it, without `-wrapper`. Undefined if no plugin of the list says so. */
  readonly maker: string | undefined;
  /** The host's devices, the one next to the container last. */
  readonly devices: readonly string[];
  readonly addresses: readonly string[];
  /** The published ports and who publishes them, such as `portmap :25080/tcp to :80`. */
  readonly ports: readonly string[];
  /** The other wrapped meta plugins that act on it. */
  readonly acting: readonly string[];
}

/** Returns the drawing's content; undefined if the list has no result, or if the result lists no container interface. */
export function sceneOf(explanation: Explanation): Scene | undefined {
  const { attachment, result } = explanation;
  const found = attachmentsOf(result?.interfaces ?? []);
  if (result === undefined || found.length === 0) return undefined;
  const interfaces = found.map(({ container, members }) => {
    const own = (result.interfaces ?? [])[container] as Interface;
    const hostSide = members.filter((index) => index !== container);
    const devices = hostSide.map((index) => (result.interfaces ?? [])[index]?.name ?? "");
    return drawn(explanation, own, devices, addressesOf(result, container, own, attachment.ifName));
  });
  return { container: attachment.containerId, interfaces };
}

function drawn(explanation: Explanation, { name }: Interface, devices: readonly string[], addresses: string[]): Drawn {
  const own = explanation.list.plugins.filter((plugin) => plugin.ifName === name);
  const maker = own.find(({ role }) => role === "creator");
  const made = explanation.added.find(({ plugin }) => plugin === maker);
  const chosenBy = made?.runs.find(({ answer }) => answer.chosenBy !== undefined)?.answer.chosenBy;
  const uses = maker && usedDevice(maker);
  return {
    ifName: name,
    maker: maker?.delegate,
    devices: [...(uses === undefined ? [] : [uses]), ...devices],
    addresses: chosenBy === undefined ? addresses : addresses.map((address) => `${address} (from ${chosenBy})`),
    ports: explanation.steps.filter(({ plugin }) => plugin.ifName === name).flatMap(portsOf),
    acting: own.filter(actsAlone).map(({ delegate }) => delegate),
  };
}

function actsAlone({ role, isWrapped, delegate }: ListedPlugin): boolean {
  return role === "meta" && isWrapped && !reportedBy(delegate).publishes;
}

function usedDevice({ delegate, configuration }: ListedPlugin): string | undefined {
  const { uses } = reportedBy(delegate);
  return uses && deviceName(uses, configuration);
}

function addressesOf({ ips }: CniResult, container: number, { name }: Interface, runtimeIfName: string): string[] {
  // go-cni gives an address without an index to the runtime's interface.
  const isOwn = (index: number | null | undefined): boolean =>
    (index ?? undefined) === undefined && name === runtimeIfName;
  return (ips ?? []).filter((ip) => ip.interface === container || isOwn(ip.interface)).map(({ address }) => address);
}

// DEL gets all ports, so the wrapper's choice is made here.
function portsOf({ plugin, given, plan }: Step): string[] {
  if (!reportedBy(plugin.delegate).publishes || (plugin.isWrapped && !plan)) return [];
  const { ports } = plugin.isWrapped ? plugin.wrapper : {};
  const { runtimeConfig } = isPorts(ports) ? withOwnPorts(given.stdin, ports as PortsOption) : given.stdin;
  const mappings = isJsonObject(runtimeConfig) ? runtimeConfig.portMappings : [];
  return (Array.isArray(mappings) ? mappings : [])
    .filter(isJsonObject)
    .map((mapping) => `${plugin.delegate} ${portWords(mapping)}`);
}

function portWords(mapping: JsonObject): string {
  const [host, container] = [goLookup(mapping, "hostPort"), goLookup(mapping, "containerPort")];
  const [protocol, hostIp] = [goLookup(mapping, "protocol"), goLookup(mapping, "hostIP")];
  return `${hostIp || ""}:${host}/${String(protocol ?? "tcp").toLowerCase()} to :${container}`;
}
