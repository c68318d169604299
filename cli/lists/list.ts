import { getNodeValue, type JSONPath } from "jsonc-parser";
import { profiles } from "../../plugins/index.ts";
import { type HostDevice, type Reported, reported } from "../../plugins/reported.ts";
import { delegateName, type Targeting, targetOf } from "../../shared/call/call.ts";
import { isSelected } from "../../shared/call/delegate-call.ts";
import { type Profile, profileOf, type Role } from "../../shared/plugin/profile.ts";
import { isJsonObject, type JsonObject, objectOf } from "../../shared/protocol/json.ts";
import { interfaceNameProblem, networkNameProblem } from "../../shared/protocol/names.ts";
import { isPorts, type PortsOption, portRange } from "../../shared/protocol/options.ts";
import { isUnchainedVersion, newestVersion, supportedVersions } from "../../shared/protocol/result.ts";
import { compareVersions } from "../host/plugin-folder.ts";
import { type ListFile, parseListFile } from "./list-file.ts";

/** The interface name that runtimes ask for. */
export const runtimeIfName = "eth0";

/** A network configuration list, as far as its shape allows. */
export interface List {
  readonly file: ListFile;
  readonly value: JsonObject;
  /** False for a file with one plugin's configuration and no `plugins` (a `.conf`). */
  readonly hasPlugins: boolean;
  readonly name: string | undefined;
  /** The version that the runtime takes, also of `cniVersions`. */
  readonly cniVersion: string | undefined;
  readonly plugins: readonly ListedPlugin[];
  /** Whether the wrappers stand in the plugins' own names: no type is a wrapper's, and a creator has a `wrapper` block. */
  readonly isDropIn: boolean;
}

/** One plugin of a list. */
export interface ListedPlugin {
  readonly index: number;
  /** Its place in the file. */
  readonly path: JSONPath;
  readonly configuration: JsonObject;
  /** The type in the list. Empty if it is missing. */
  readonly type: string;
  /** The type of the plugin that does the work. */
  readonly delegate: string;
  readonly isWrapped: boolean;
  readonly profile: Profile | undefined;
  /** Undefined if neither the profile nor the operator says it. */
  readonly role: Role | undefined;
  /** The `wrapper` block. Empty if there is none, or if it is not an object. */
  readonly wrapper: JsonObject;
  /** The interface that it makes or acts on. For a plain chained plugin, the runtime's. */
  readonly ifName: string;
  readonly isRenamed: boolean;
  /** The network's name as the plugin sees it. */
  readonly network: string;
}

/** Reads the list in a file; undefined if the file is not a JSON object. */
export function listOf(file: ListFile): List | undefined {
  const value: unknown = file.tree && getNodeValue(file.tree);
  if (!isJsonObject(value)) return undefined;
  const hasPlugins = value.plugins !== undefined;
  const entries = Array.isArray(value.plugins) ? value.plugins : hasPlugins ? [] : [value];
  const name = typeof value.name === "string" ? value.name : undefined;
  const configurations = entries.map(objectOf);
  const isDropIn = isDropInList(configurations);
  const plugins = configurations.map((configuration, index) => {
    return pluginOf(configuration, index, { path: hasPlugins ? ["plugins", index] : [], name: name ?? "", isDropIn });
  });
  const cniVersion = cniVersionOf(value);
  return { file, value, hasPlugins, name, cniVersion, plugins, isDropIn };
}

/** Reads a list that was a file once; undefined if it is no list. */
export function listFrom(value: JsonObject, path = ""): List | undefined {
  return listOf(parseListFile(path, JSON.stringify(value)));
}

/** The version that a runtime takes: the highest one that libcni 1.3.1 knows, if there are several (NetworkConfFromBytes). */
function cniVersionOf({ cniVersion, cniVersions }: JsonObject): string | undefined {
  const own = typeof cniVersion === "string" ? cniVersion : undefined;
  if (!Array.isArray(cniVersions)) return own;
  const known = [own, ...cniVersions].filter((one) => {
    return typeof one === "string" && one !== "" && compareVersions(one, newestVersion) <= 0;
  });
  return known.sort(compareVersions).at(-1) ?? own;
}

function isDropInList(configurations: readonly JsonObject[]): boolean {
  if (configurations.some((configuration) => isWrapperType(typeOf(configuration)))) return false;
  return configurations.some((configuration) => {
    return (configuration.wrapper ?? null) !== null && profileOf(typeOf(configuration), profiles)?.role === "creator";
  });
}

function pluginOf(
  configuration: JsonObject,
  index: number,
  { path, name, isDropIn }: { path: JSONPath; name: string; isDropIn: boolean },
): ListedPlugin {
  const type = typeOf(configuration);
  const wrapper = objectOf(configuration.wrapper);
  const isWrapped = isWrapperType(type) || (isDropIn && profileOf(type, profiles) !== undefined);
  const block = usableKeys(wrapper, isWrapped, delegateName(type) ?? type);
  const target = targetOf({ ...anyCall, configuration: { name }, wrapper: block }, type, profiles);
  const { delegate, profile, role, selector, renamed: isRenamed, network } = target;
  const its = { delegate, profile, role, ifName: selector.ifName, isRenamed, network };
  return { index, path, configuration, type, isWrapped, wrapper, ...its };
}

/** The part of a DEL that a target depends on. A faulty list does not fail a DEL. */
const anyCall = { command: "DEL", variables: { ifName: runtimeIfName, netns: "" } } as const;

/** The keys of a block that decide about the target, if their values have the right type. A plain plugin has only a role. */
function usableKeys(
  { delegate, ifName, network, role }: JsonObject,
  isWrapped: boolean,
  named: string,
): Targeting["wrapper"] {
  return {
    delegate: isWrapped && typeof delegate === "string" ? delegate : named,
    ...(isWrapped && typeof ifName === "string" && { ifName }),
    ...(isWrapped && typeof network === "string" && { network }),
    ...((role === "creator" || role === "meta") && { role }),
  };
}

/** Whether a type is one of the wrappers' own names. */
export function isWrapperType(type: string): boolean {
  return /.-wrapper$/.test(type) || type === "cni-wrappers";
}

function typeOf({ type }: JsonObject): string {
  return typeof type === "string" ? type : "";
}

/** The interface plugins of a list, in its order. */
export function creatorsOf({ plugins }: Pick<List, "plugins">): readonly ListedPlugin[] {
  return plugins.filter(({ role }) => role === "creator");
}

/** The creator whose interface a plugin acts on; undefined if none before it makes an interface of that name. */
export function creatorFor({ plugins }: List, { index, ifName }: ListedPlugin): ListedPlugin | undefined {
  return creatorsOf({ plugins: plugins.slice(0, index) }).find((creator) => creator.ifName === ifName);
}

/**
 * Whether a list says the name of a plugin's interface. Two plain interface plugins cannot share the runtime's name: a script
 * gives them others.
 */
export function hasKnownName(list: List, { index, isWrapped, ifName }: ListedPlugin): boolean {
  return isWrapped || !creatorsOf(list).some((other) => other.index !== index && other.ifName === ifName);
}

/** Whether a plugin before this index may make interfaces that lint cannot know. */
export function mayBeMadeBefore({ plugins }: List, index: number): boolean {
  return plugins.slice(0, index).some(({ role, type }) => role === undefined && type !== "loopback");
}

/** Whether a runtime runs CHECK for this list. libcni has it from 0.4.0 on. */
export function runsCheck({ value, cniVersion = "" }: List): boolean {
  return !isDisabled(value.disableCheck) && !/^0\.[0-3]\./.test(cniVersion) && cniVersion !== "";
}

/** Whether a switch of a list is on. libcni also takes the word (readBool, libcni/conf.go). */
export function isDisabled(value: unknown): boolean {
  return value === true || (typeof value === "string" && value.toLowerCase() === "true");
}

/** Whether a jq program rewrites the configuration, so that lint does not know what the plugin gets. */
export function isRewritten({ isWrapped, wrapper }: ListedPlugin): boolean {
  return isWrapped && wrapper.jq !== undefined;
}

/** Whether a configuration asks bridge to give its bridge an address. */
export function isGateway({ isGateway, isDefaultGateway }: JsonObject): boolean {
  return isGateway === true || isDefaultGateway === true;
}

/** The host's interface on which a plugin makes its own; undefined if it names none, or one of the container. */
export function masterOf({ delegate, configuration }: ListedPlugin): string | undefined {
  const { master, linkInContainer } = configuration;
  const isOfHost = /^(?:macvlan|ipvlan|vlan)$/.test(delegate) && linkInContainer !== true;
  return isOfHost && typeof master === "string" && master !== "" ? master : undefined;
}

/** The master in whose LAN a plugin's addresses are; undefined for a vlan, too, which has a LAN of its own. */
export function lanMasterOf(plugin: ListedPlugin): string | undefined {
  return plugin.delegate === "vlan" ? undefined : masterOf(plugin);
}

/** Whether the runtime gives a plugin this part of its arguments. */
export function hasCapability({ configuration: { capabilities } }: ListedPlugin, name: string): boolean {
  return isJsonObject(capabilities) && capabilities[name] === true;
}

/** Returns the first name of `eth1`, `eth2`, ... that is not taken. */
export function freeName(taken: Iterable<string>): string {
  const names = new Set(taken);
  for (let index = 1; ; index++) if (!names.has(`eth${index}`)) return `eth${index}`;
}

/** Says what is wrong with the name of a plugin's interface; undefined if it is valid, as the runtime's is. */
export function interfaceProblem({ ifName, wrapper }: ListedPlugin): string | undefined {
  if (ifName === "lo") return "is taken in every network namespace";
  if (ifName === "all" || ifName === "default") return "is reserved by the kernel";
  const problem = interfaceNameProblem(ifName);
  if (problem !== undefined) return problem;
  // The list's own name has a rule of its own.
  const isFaulty = wrapper.network === undefined && networkNameProblem(`x-${ifName}`) !== undefined;
  return isFaulty ? "cannot be a part of a network's name" : undefined;
}

/** The first version of the specification that a reference plugin speaks, if that is not 0.1.0 (its main function). */
export const firstVersions: ReadonlyMap<string, string> = new Map([
  ["firewall", "0.4.0"],
  ["vrf", "0.3.1"],
  ["bandwidth", "0.3.0"],
]);

/**
 * The version of a list as plugins read it: without one, or with an empty one, it is 0.1.0. Undefined if the runtime chooses among
 * `cniVersions`.
 */
export function versionOf({ value, cniVersion }: List): string | undefined {
  if (value.cniVersions !== undefined) return undefined;
  return value.cniVersion === undefined || value.cniVersion === "" ? "0.1.0" : cniVersion;
}

/** Names a list by its version, for a sentence about it. */
export function versionWords({ cniVersion }: List): string {
  return cniVersion ? `cniVersion ${cniVersion}` : "a list without cniVersion";
}

/** The version that a plugin needs, if the list's is older. */
export function neededVersion(list: List, { delegate }: ListedPlugin): string | undefined {
  const needed = firstVersions.get(delegate);
  const version = versionOf(list);
  return needed !== undefined && version !== undefined && isOlder(version, needed) ? needed : undefined;
}

/** Whether a list has a version whose results list no interfaces. */
export function isUnchained(list: List): boolean {
  const version = versionOf(list);
  return version !== undefined && isUnchainedVersion(version);
}

/** A wrapped plugin that needs to see the earlier plugins' interfaces, in a list whose results have none. */
export function unchainedPlugin(list: List): ListedPlugin | undefined {
  return isUnchained(list) ? list.plugins.find(({ index, isRenamed }) => index > 0 && isRenamed) : undefined;
}

/** Whether both are known versions, and one comes before the other. */
export function isOlder(one: string, other: string): boolean {
  const [place, otherPlace] = [supportedVersions.indexOf(one), supportedVersions.indexOf(other)];
  return place >= 0 && place < otherPlace;
}

/** The devices of a plugin. None for one that the wrappers do not know. */
export function reportedBy(type: string): Reported {
  return (Object.hasOwn(reported, type) && reported[type as keyof typeof reported]) || {};
}

/** Returns the name of a device; undefined if the plugin invents it. */
export function deviceName(device: HostDevice, configuration: JsonObject): string | undefined {
  if ("prefix" in device) return undefined;
  const name = configuration[device.key];
  return typeof name === "string" && name !== "" ? name : device.fallback;
}

const highestPort = 65535;

/** The first container port that all of these plugins publish; undefined if there is none, or if a `wrapper.ports` is invalid. */
export function firstPortOf(plugins: readonly ListedPlugin[]): number | undefined {
  const chosen = plugins.filter(({ isWrapped, wrapper }) => isWrapped && wrapper.ports !== undefined);
  const options = chosen.map(({ wrapper }) => wrapper.ports as PortsOption);
  if (!options.every(isPorts)) return undefined;
  const ranges = options.flatMap(({ only, except }) => (only ?? except ?? []).map(portRange));
  // A choice begins at port 1, or where a range begins or has ended.
  const starts = [1, ...ranges.flatMap(([first, last] = [1, 0]) => [first, last + 1])].sort(
    (one, other) => one - other,
  );
  return starts.find((port) => {
    return port <= highestPort && options.every((ports) => isSelected({ containerPort: port }, ports));
  });
}
