import { isJsonObject } from "../../shared/protocol/json.ts";
import { interfaceNameProblem, networkNameProblem } from "../../shared/protocol/names.ts";
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

/** Says what is wrong with the name of a renamed interface; undefined if it is valid. */
export function interfaceProblem({ isWrapped, isRenamed, ifName, wrapper }: ListedPlugin): string | undefined {
  if (!isWrapped || !isRenamed) return undefined;
  if (ifName === "lo") return "is taken in every network namespace";
  if (ifName === "all" || ifName === "default") return "is reserved by the kernel";
  const problem = interfaceNameProblem(ifName);
  if (problem !== undefined) return problem;
  // The list's own name has a rule of its own.
  const isFaulty = wrapper.network === undefined && networkNameProblem(`x-${ifName}`) !== undefined;
  return isFaulty ? "cannot be a part of a network's name" : undefined;
}
