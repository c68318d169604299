import type { JsonObject } from "./json.ts";

/** One entry of a result's `interfaces`. Without `sandbox`, or with an empty one, it is a host-side interface. */
export interface Interface extends JsonObject {
  readonly name: string;
  readonly sandbox?: string | null;
}

/** One entry of a result's `ips`; `interface` is an index into `interfaces`. */
export interface IpConfig extends JsonObject {
  readonly address: string;
  readonly interface?: number | null;
}

/** One entry of a result's `routes`. */
export interface Route extends JsonObject {
  readonly gw?: string | null;
}

/** A result's `dns`. */
export interface Dns extends JsonObject {
  readonly domain?: string | null;
}

/** An ADD result, 0.3.0 to 1.1.0 (SPEC.md, section 5 "ADD Success"). Lists may be null: Go prints some empty lists as null. */
export interface CniResult extends JsonObject {
  readonly cniVersion?: string;
  readonly interfaces?: readonly Interface[] | null;
  readonly ips?: readonly IpConfig[] | null;
  readonly routes?: readonly Route[] | null;
  readonly dns?: Dns | null;
}

/** Whether an interface is inside a container. */
export function isContainerInterface(candidate: Interface | undefined): boolean {
  return (candidate?.sandbox ?? "") !== "";
}

/** Whether a result lists an interface of that name in that sandbox. */
export function listsInterface(
  { interfaces }: CniResult,
  { name, sandbox }: Pick<Interface, "name" | "sandbox">,
): boolean {
  return (interfaces ?? []).some((one) => one.name === name && one.sandbox === sandbox);
}

/** Whether a route of a result is not in the main table, the only one in which the reference plugins' CHECK looks. */
export function isInOtherTable({ table }: Route): boolean {
  return Number(table) > 0 && table !== 254;
}

/** The specification versions in which DEL gets the result of the attachment's ADD. */
const withResult: readonly string[] = ["0.4.0", "1.0.0", "1.1.0"];

/** The specification versions whose results list interfaces, so that they can be narrowed and spliced. */
const chainVersions: readonly string[] = ["0.3.0", "0.3.1", ...withResult];

/** The versions whose results list no interfaces. A configuration without a version has the first of them. */
const unchainedVersions: readonly string[] = ["0.1.0", "0.2.0"];

/** Every specification version that a wrapper supports. 0.1.0 and 0.2.0 have no chains and pass through. */
export const supportedVersions: readonly string[] = [...unchainedVersions, ...chainVersions];

/** The newest specification version that a wrapper supports. */
export const newestVersion = "1.1.0";

/** Whether a runtime gives DEL the result of the attachment's ADD. */
export function delGetsResult(cniVersion: string | undefined): boolean {
  return cniVersion !== undefined && withResult.includes(cniVersion);
}

/** Whether results of this specification version can be narrowed and spliced. */
export function isChainVersion(cniVersion: string | undefined): boolean {
  return cniVersion !== undefined && chainVersions.includes(cniVersion);
}

/** Whether results of this specification version list no interfaces, so that there is nothing to narrow or splice. */
export function isUnchainedVersion(cniVersion: string | undefined): boolean {
  return !cniVersion || unchainedVersions.includes(cniVersion);
}
