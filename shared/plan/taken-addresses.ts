import { ipName } from "../attachment/addresses.ts";
import { isJsonObject, type JsonObject } from "../protocol/json.ts";
import type { Request } from "../protocol/request.ts";
import { leaseDirectory, type Records } from "../record/record.ts";
import type { Removal } from "./plan.ts";
import { recordKey } from "./record-key.ts";
import type { Target } from "./target.ts";

/**
 * Returns a meta plugin's DEL without the addresses that another container has by now. A runtime repeats a DEL that was
 * killed after the creator freed its leases. By then another container may have got an address, and firewall's rules name
 * nothing else. A plugin without a profile may have such rules, too.
 */
export function keepingRulesOfOthers(request: Request, target: Target, removal: Removal, records: Records): Removal {
  const { profile } = target;
  const { call, notes } = removal;
  if (call?.configuration === undefined || (profile && !profile.delByAddress)) return removal;
  const { containerId } = request.variables;
  const addresses = addressesIn(call.configuration);
  if (hasLeases(request, target, addresses, records)) return removal;
  const others = addressesOfOthers([containerId], records);
  const taken = addresses.filter((address) => others.has(ipName(address)));
  if (taken.length === 0) return removal;
  const configuration = withoutAddresses(call.configuration, others);
  const kept = `another container has ${taken.join(", ")} by now: DEL does not remove the rules of this address`;
  return { ...removal, call: { ...call, configuration }, notes: [...notes, kept] };
}

/**
 * Whether the attachment certainly has its addresses still. Reading the leases of host-local is enough for most, and all
 * records are many.
 */
function hasLeases(request: Request, target: Target, addresses: readonly string[], records: Records): boolean {
  const network = records.find(recordKey(request, target))?.record.delegateNetwork;
  const leases = addresses.map((cidr) => records.lease(`${leaseDirectory}/${network}`, cidr.split("/")[0] ?? ""));
  return leases.every((lease) => lease?.containerId === request.variables.containerId);
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

function addressesIn({ prevResult }: JsonObject): string[] {
  const ips = isJsonObject(prevResult) && Array.isArray(prevResult.ips) ? prevResult.ips : [];
  return ips.flatMap((ip) => (isJsonObject(ip) && typeof ip.address === "string" ? [ip.address] : []));
}
