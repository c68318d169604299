import { ipName } from "../attachment/addresses.ts";
import { isJsonObject, type JsonObject } from "../protocol/json.ts";
import type { Request } from "../protocol/request.ts";
import type { AttachmentRecord, Lease, Records } from "../record/record.ts";
import type { OneCall } from "./del-call.ts";
import type { Removal } from "./plan.ts";
import type { Target } from "./target.ts";

/**
 * Returns a meta plugin's DEL without the addresses that another container has by now. A runtime repeats a DEL that was
 * killed after the creator freed its leases. By then another container may have got an address, and firewall's rules name
 * nothing else. A plugin without a profile may have such rules, too.
 */
export function keepingRulesOfOthers(
  request: Request,
  { profile }: Target,
  removal: Removal & OneCall,
  records: Records,
): Removal {
  const { call, notes } = removal;
  if (profile && !profile.delByAddress) return removal;
  const { configuration: whole = {} } = call;
  const taken = takenBy(request.variables.containerId, addressesIn(whole), records);
  if (taken.length === 0) return removal;
  const configuration = withoutAddresses(whole, new Set(taken.map(ipName)));
  const kept = `another container has ${taken.join(", ")} by now: DEL does not remove its rules`;
  return { ...removal, call: { ...call, configuration }, notes: [...notes, kept] };
}

/** The addresses that another container has. host-local's leases tell in most cases; looking through all records takes long. */
function takenBy(containerId: string, addresses: readonly string[], records: Records): readonly string[] {
  const leased = addresses.map((cidr) => ({ cidr, leases: records.leasesOf(cidr.split("/")[0] ?? "") }));
  const isOther = (lease: Lease) => lease.containerId !== containerId;
  const isUnleased = leased.some(({ leases }) => leases.length === 0);
  const others = isUnleased ? addressesOfOthers([containerId], records) : new Set();
  return leased.filter(({ cidr, leases }) => leases.some(isOther) || others.has(ipName(cidr))).map(({ cidr }) => cidr);
}

/** Returns the names of the addresses that all but the given containers have. */
export function addressesOfOthers(containerIds: readonly string[], records: Records): ReadonlySet<unknown> {
  const ids = new Set(containerIds);
  const others = records.holdings().filter(({ containerId }) => !ids.has(containerId));
  return new Set(others.flatMap(({ addresses }) => addresses.map(ipName)));
}

/** Returns a configuration whose prevResult lists none of the addresses of these names. */
export function withoutAddresses(configuration: JsonObject, names: ReadonlySet<unknown>): JsonObject {
  const { prevResult } = configuration;
  if (!isJsonObject(prevResult) || !Array.isArray(prevResult.ips)) return configuration;
  const isFree = (ip: unknown) => !isJsonObject(ip) || typeof ip.address !== "string" || !names.has(ipName(ip.address));
  return { ...configuration, prevResult: { ...prevResult, ips: prevResult.ips.filter(isFree) } };
}

/** Returns a configuration whose prevResult also lists these addresses. */
export function withAddresses(configuration: JsonObject, addresses: readonly string[]): JsonObject {
  const { prevResult } = configuration;
  const listed = new Set(addressesIn(configuration).map(ipName));
  const more = addresses.filter((cidr) => !listed.has(ipName(cidr))).map((address) => ({ address }));
  if (!isJsonObject(prevResult) || more.length === 0) return configuration;
  const ips = Array.isArray(prevResult.ips) ? prevResult.ips : [];
  return { ...configuration, prevResult: { ...prevResult, ips: [...ips, ...more] } };
}

/** Returns the addresses for which the ADDs of a meta plugin's record may have made rules, each once. */
export function recordedAddresses({ addresses, configuration = {} }: AttachmentRecord): string[] {
  return [...new Set([...addresses, ...addressesIn(configuration)])];
}

/** Returns the addresses in a configuration's prevResult, such as `172.26.64.2/20`. */
function addressesIn({ prevResult }: JsonObject): string[] {
  const ips = isJsonObject(prevResult) && Array.isArray(prevResult.ips) ? prevResult.ips.filter(isJsonObject) : [];
  const addresses = ips.map(({ address }) => address).filter((address) => typeof address === "string");
  return addresses.filter((address) => ipName(address) !== undefined);
}
