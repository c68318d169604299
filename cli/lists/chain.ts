import { isJsonObject } from "../../shared/protocol/json.ts";
import { interfaceNameProblem, networkNameProblem } from "../../shared/protocol/names.ts";
import { isUnchainedVersion, supportedVersions } from "../../shared/protocol/result.ts";
import type { List, ListedPlugin } from "./list.ts";

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

/** The version of a list as plugins read it: without one it is 0.1.0. Undefined if the runtime chooses among `cniVersions`. */
export function versionOf({ value, cniVersion }: List): string | undefined {
  if (value.cniVersions !== undefined) return undefined;
  return value.cniVersion === undefined ? "0.1.0" : cniVersion;
}

/** The version that a plugin needs, if the list's is older. */
export function neededVersion(list: List, { delegate }: ListedPlugin): string | undefined {
  const needed = firstVersions.get(delegate);
  const version = versionOf(list);
  return needed !== undefined && version !== undefined && isOlder(version, needed) ? needed : undefined;
}

/** A wrapped plugin that needs to see the earlier plugins' interfaces, in a list whose results have none. */
export function unchainedPlugin(list: List): ListedPlugin | undefined {
  const version = versionOf(list);
  if (version === undefined || !isUnchainedVersion(version)) return undefined;
  return list.plugins.find(({ index, isRenamed }) => index > 0 && isRenamed);
}

/** Whether both are known versions, and one comes before the other. */
export function isOlder(one: string, other: string): boolean {
  const [place, otherPlace] = [supportedVersions.indexOf(one), supportedVersions.indexOf(other)];
  return place >= 0 && place < otherPlace;
}
