import { shaperName } from "../../cli/model/bandwidth.ts";
import type { Namespace } from "../../cli/model/machine.ts";
import { resultOf } from "../../cli/model/plugin.ts";
import { journalFile } from "../../shared/journal/journal.ts";
import { isJsonObject, type JsonObject, objectOf } from "../../shared/protocol/json.ts";
import { type Effect, effects, leasesOf } from "./effects.ts";
import { secondName } from "./foreign.ts";
import { type Attachment, type ListedPlugin, netnsOf, portMappingsOf, resultFile } from "./runtime.ts";
import type { SimulatedMachine } from "./simulated-machine.ts";

/** What the runtime has done with an attachment. */
export interface Life {
  /** Such as `c1 za eth0`: container, list, the runtime's interface name. */
  readonly key: string;
  readonly of: Attachment;
  /** `tried`: its last ADD failed or ended early, or its DEL did. */
  phase: "none" | "tried" | "attached";
  /** How many verbs began. */
  verbs: number;
  /** The boot and the namespace of its last ADD, and when that was after the boot. */
  boot: number;
  serial: number;
  inode: number;
  addedAt: number;
  /** Its interfaces and addresses since it was attached, until DEL. */
  addresses: Readonly<Record<string, readonly string[]>> | undefined;
  /** Its rules, sysctls and routes, which must stay until DEL. */
  effects: readonly Effect[];
  /** A plugin of its last ADD failed, and its wrapper knows that. */
  hasFailed: boolean;
  /** A verb of it that is under way removes something: DEL, or ADD after an earlier try. */
  removes: boolean;
  /** A verb of a sibling ran at the same time and removed something: no plugin that runs can see whose a lease is. */
  isContested: boolean;
  /** The same, and that verb's wrapper ran when it began, not a plugin. */
  isBetween: boolean;
  /** The DEL of a sibling ran that has no entry and the same limits, when its ADD began (docs/behavior.md, Limits). */
  isLimitContested: boolean;
  /**
   * Verbs of it and of a sibling ran at the same time, and both have a plugin that no wrapper knows. The DEL of such a plugin
   * may take what the other one's ADD has made since it began, as a plain one's does.
   */
  isMarkContested: boolean;
  /**
   * An ADD came while it may have been in use with other interfaces: in another namespace, as long as a task runs there, or as its
   * list made it before an edit. The rules for those come first (docs/behavior.md, Limits).
   */
  isElsewhere: boolean;
  /** A call of its ADD went on after a DEL, or failed where nothing may be written: entries before it are missing. */
  isOutrun: boolean;
  /** In another namespace, or at the same time, it or a sibling asked for one of its interfaces: with DHCP they have one address, and lose it together. */
  isOneClient: boolean;
  /** Its DEL began, or something else took a part of what it left: ADD may fail until DEL. */
  mayFail: boolean;
  /** Its list was edited since its ADD. */
  isEdited: boolean;
  /** The plugins that edits removed from its list since its ADD: from the front, so that only `prune` finds them, or behind another. */
  removed: { readonly front: readonly string[]; readonly behind: readonly string[] };
}

export function newLife(key: string): Life {
  const [container = "", list = "", ifName = ""] = key.split(" ");
  return {
    ...nothing,
    key,
    of: { container, list, ifName },
    verbs: 0,
  };
}

const nothing = {
  phase: "none",
  boot: 0,
  serial: 0,
  inode: 0,
  addedAt: 0,
  addresses: undefined,
  effects: [],
  hasFailed: false,
  removes: false,
  isContested: false,
  isBetween: false,
  isLimitContested: false,
  isMarkContested: false,
  isElsewhere: false,
  isOneClient: false,
  isOutrun: false,
  mayFail: false,
  isEdited: false,
  removed: { front: [], behind: [] },
} as const;

/** Notes that an edit removed a plugin from the list of an attachment: behind another wrapped one, or from the front. */
export function noteRemoved(life: Life, plugin: string, isBehind: boolean): void {
  const { front, behind } = life.removed;
  if (isBehind) life.removed = { front, behind: [...behind, plugin] };
  else life.removed = { front: [...front, ...behind, plugin], behind: [] };
}

/** Notes that nothing is left of an attachment. */
export function forget(life: Life): void {
  Object.assign(life, nothing);
}

/** Whether the wrappers remember an attachment: a call of a runtime that was killed may still run. */
export function hasJournal({ files }: SimulatedMachine, { of }: Life): boolean {
  return files.has(journalFileOf(of));
}

/** Returns the file of an attachment's journal. */
export function journalFileOf({ container: containerId, list: network, ifName }: Attachment): string {
  return journalFile({ containerId, network, runtimeIfName: ifName });
}

/** Returns the namespace of an attachment's last ADD, as long as it exists. */
export function namespaceOf(machine: SimulatedMachine, life: Life): Namespace | undefined {
  if (life.boot !== machine.boot) return undefined;
  return machine.allNamespaces().find(({ serial }) => serial === life.serial);
}

/** Whether the namespace of the last ADD is at its path. */
export function isInPlace(machine: SimulatedMachine, life: Life): boolean {
  return life.boot === machine.boot && machine.namespaces.get(netnsOf(life.of))?.serial === life.serial;
}

/** Whether an attachment is complete, and its namespace exists. */
export function isLive(machine: SimulatedMachine, life: Life): boolean {
  return life.phase === "attached" && namespaceOf(machine, life) !== undefined;
}

/** Whether a try is so old that its attachment may be in use, as far as a wrapper knows. */
export function isOld(machine: SimulatedMachine, life: Life): boolean {
  const isOver = machine.uptime - life.addedAt > 14 * 60_000;
  return life.phase === "tried" && !life.hasFailed && isInPlace(machine, life) && isOver;
}

/** Whether a DEL was cut off before it removed anything, so that the attachment may be in use, as far as a wrapper knows. */
export function isUntouched({ files }: SimulatedMachine, { of, phase }: Life): boolean {
  const text = files.get(journalFileOf(of))?.text;
  return (
    phase === "tried" && files.has(resultFile(of)) && text !== undefined && !/"line":"(given up|undone)"/.test(text)
  );
}

/** Whether ADD must pass: nothing of the attachment may be in use, and nobody else has its names or its leases. */
export function mustPass(machine: SimulatedMachine, life: Life, list: readonly ListedPlugin[]): boolean {
  // What an ADD before the last one left in a namespace that is still there may be in use.
  if (life.mayFail || life.isElsewhere || machine.missing.size > 0) return false;
  if (life.phase === "attached" && namespaceOf(machine, life)) return false;
  if (life.phase === "tried" && namespaceOf(machine, life) && !isInPlace(machine, life)) return false;
  return (
    isSound(list, life.of) &&
    interfacesOf(list, life.of).every((name) => isFree(machine, life, name)) &&
    list.every((plugin) => !isLimited(machine, life, plugin))
  );
}

/** Whether another attachment of the container has the device of a bandwidth in one network. A second one is refused. */
function isLimited({ devices }: SimulatedMachine, { of, key }: Life, plugin: ListedPlugin): boolean {
  if (delegateOf(plugin) !== "bandwidth") return false;
  const device = devices.get(shaperName(networkOf(plugin, of), of.container));
  return device !== undefined && !device.by.has(key);
}

/** The network that a wrapped plugin gets. */
export function networkOf({ wrapper }: ListedPlugin, { list }: Attachment): string {
  const { ifName, network = ifName ? `${list}-${ifName}` : list } = objectOf(wrapper);
  return String(network);
}

/** Whether a list makes each interface once, and before its chained plugins. An edited list may not. */
function isSound(list: readonly ListedPlugin[], of: Attachment): boolean {
  const names = interfacesOf(list, of);
  if (new Set(names).size < names.length) return false;
  return list.every((plugin, index) => {
    const isFirst = isCreator(delegateOf(plugin)) || !plugin.type.endsWith("-wrapper");
    return isFirst || interfacesOf(list.slice(0, index), of).includes(ifNameOf(plugin, of));
  });
}

function isFree(machine: SimulatedMachine, { of, key }: Life, name: string): boolean {
  const link = machine.namespaces.get(netnsOf(of))?.links.get(name);
  const leases = leasesOf(machine, of.container, name).map((path) => machine.files.get(path));
  return [link, ...leases].every((thing) => thing === undefined || thing.by.has(key));
}

/** Returns the interfaces that a list makes in a container. */
export function interfacesOf(list: readonly ListedPlugin[], of: Attachment): string[] {
  return list.flatMap((plugin) => {
    const name = ifNameOf(plugin, of);
    const type = delegateOf(plugin);
    if (type === "twin") return [name, secondName(name)];
    return isCreator(type) ? [name] : [];
  });
}

/** Returns the interfaces for which ADD can ask for an address. */
export function chosenInterfaces(list: readonly ListedPlugin[], of: Attachment): string[] {
  const isAskable = ({ ipam, type }: ListedPlugin) =>
    isJsonObject(ipam) && ipam.type === "host-local" && type !== "twin-wrapper";
  return list.filter(isAskable).map((plugin) => ifNameOf(plugin, of));
}

const creatorTypes = ["bridge", "ptp", "macvlan", "ipvlan", "twin", "flannel"];

function isCreator(type: string): boolean {
  return creatorTypes.includes(type);
}

export function delegateOf({ type }: ListedPlugin): string {
  return type.replace(/-wrapper$/, "");
}

function ifNameOf({ wrapper }: ListedPlugin, { ifName }: Attachment): string {
  return isJsonObject(wrapper) && typeof wrapper.ifName === "string" ? wrapper.ifName : ifName;
}

/** Returns the interfaces of a result with their addresses. */
export function addressesIn(result: JsonObject): Record<string, string[]> {
  const { interfaces, ips } = resultOf({ prevResult: result });
  const inside = interfaces.filter(({ sandbox, name }) => sandbox !== undefined && name !== "lo");
  return Object.fromEntries(
    inside.map((one) => [
      String(one.name),
      ips
        .filter(({ interface: index }) => typeof index === "number" && interfaces[index] === one)
        .map(({ address }) => String(address)),
    ]),
  );
}

/** Returns what an attachment has after its ADD: what each plugin of the list gives. */
export function effectsOf(
  machine: SimulatedMachine,
  { of }: Life,
  list: readonly ListedPlugin[],
  addresses: Readonly<Record<string, readonly string[]>>,
): Effect[] {
  const namespace = machine.namespaces.get(netnsOf(of));
  if (!namespace) return [];
  return list.flatMap((plugin) => {
    const ifName = ifNameOf(plugin, of);
    const names = delegateOf(plugin) === "twin" ? [ifName, secondName(ifName)] : [ifName];
    const config = { ...plugin, runtimeConfig: { portMappings: ownPorts(plugin, of) } };
    return names.flatMap((name) => {
      const place = { containerId: of.container, namespace, ifName: name, addresses: addresses[name] ?? [], config };
      return effects[delegateOf(plugin)]?.(machine, place) ?? [];
    });
  });
}

function ownPorts({ wrapper }: ListedPlugin, of: Attachment): JsonObject[] {
  const ports = isJsonObject(wrapper) && isJsonObject(wrapper.ports) ? wrapper.ports.only : undefined;
  return portMappingsOf(of).filter(({ containerPort }) => !Array.isArray(ports) || ports.includes(containerPort));
}
