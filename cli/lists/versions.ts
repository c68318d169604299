import { isUnchainedVersion, supportedVersions } from "../../shared/protocol/versions.ts";
import type { List, ListedPlugin } from "./list.ts";

/** The first version of the specification that a reference plugin speaks, if that is not 0.1.0 (its main function). */
const firstVersions: Readonly<Record<string, string>> = { firewall: "0.4.0", vrf: "0.3.1", bandwidth: "0.3.0" };

/** The version of a list as plugins read it: without one it is 0.1.0. Undefined if the runtime chooses among `cniVersions`. */
export function versionOf({ value, cniVersion }: List): string | undefined {
  if (value.cniVersions !== undefined) return undefined;
  return value.cniVersion === undefined ? "0.1.0" : cniVersion;
}

/** The version that a plugin needs, if the list's is older. */
export function neededVersion(list: List, { delegate }: ListedPlugin): string | undefined {
  const needed = Object.hasOwn(firstVersions, delegate) ? firstVersions[delegate] : undefined;
  const version = versionOf(list);
  return needed !== undefined && version !== undefined && isOlder(version, needed) ? needed : undefined;
}

/** A wrapped plugin that needs to see the earlier plugins' interfaces, in a list whose results have none. */
export function unchainedPlugin(list: List): ListedPlugin | undefined {
  const version = versionOf(list);
  if (version === undefined || !isUnchainedVersion(version)) return undefined;
  return list.plugins.find(({ index, isWrapped, isRenamed }) => index > 0 && isWrapped && isRenamed);
}

/** Whether both are known versions, and one comes before the other. */
export function isOlder(one: string, other: string): boolean {
  const [place, otherPlace] = [supportedVersions.indexOf(one), supportedVersions.indexOf(other)];
  return place >= 0 && place < otherPlace;
}
