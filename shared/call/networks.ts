import { addressIn, subnetFinder } from "../attachment/subnet.ts";
import { type Lease, leaseDirectoryOf } from "../journal/host-files.ts";
import { isNamedByNetwork } from "../plugin/profile.ts";
import { goLookup, ipamOf, isJsonObject, type JsonObject, objectOf } from "../protocol/json.ts";
import type { Call, Target } from "./call.ts";
import type { DelegateCall, Subject } from "./delegate-call.ts";

// An interface with an `ifName` has its own network. Before the wrappers, a script may have attached it under the list's own
// name. Two networks do not know each other's leases, so an address could be given out twice.

/** Returns the list's own name if a plugin may have run under it; undefined if only the wrapper's network counts. */
export function listNetwork({ request: { configuration, wrapper }, target }: Subject): string | undefined {
  const dependsOnIt = target.role === "creator" || isNamedByNetwork(target.profile);
  const isElsewhere = dependsOnIt && wrapper.network === undefined && target.network !== configuration.name;
  return isElsewhere ? configuration.name : undefined;
}

/** Returns the target of an ADD in the network that has its leases: that of its entry, else the list's own if it has leases there. */
export function inLeasedNetwork(call: Call): Target {
  const { target, own } = call;
  const other = listNetwork(call);
  if (other === undefined) return target;
  if (own) return own.delegateNetwork === other ? { ...target, network: other } : target;
  return hasOlderLease(call, other) ? { ...target, network: other } : target;
}

/** Whether an interface of this name has an address of this plugin in a network. */
function hasOlderLease(call: Call, network: string): boolean {
  const { ifName } = call.target.selector;
  const isWanted = subnetFinder(() => subnetsOf(call.request.configuration));
  return leasesIn(call, network, isWanted).some((lease) => lease.ifName === ifName);
}

/** Returns the targets of a DEL without an entry, the likelier one first: something else may have made the interface. */
export function inBothNetworks(call: Call): readonly [Target, ...Target[]] {
  const { target } = call;
  const other = listNetwork(call);
  if (other === undefined) return [target];
  const inList = { ...target, network: other };
  return hasOwnLease(call, target.network) ? [target, inList] : [inList, target];
}

/** Whether this container has a lease for an interface of this name in a network. */
export function hasOwnLease(call: Call, network: string): boolean {
  const { containerId } = call.request.variables;
  const { ifName } = call.target.selector;
  return leasesIn(call, network).some((lease) => lease.ifName === ifName && lease.containerId === containerId);
}

// host-local is the only reference IPAM plugin that keeps leases on the host.
function leasesIn(call: Call, network: string, isWanted?: (address: string) => boolean): readonly Lease[] {
  const ipam = ipamOf(call.request.configuration);
  if (goLookup(ipam, "type") !== "host-local") return [];
  return call.facts.leases(leaseDirectoryOf(ipam, network), isWanted);
}

/** Whether addresses such as `172.26.64.2/20` are in the subnets that a plugin's configuration has for host-local. */
export function areInSubnets(configuration: JsonObject, addresses: readonly string[]): boolean {
  const isInside = subnetFinder(() => subnetsOf(configuration));
  return addresses.every((address) => isInside(addressIn(address)));
}

/** The subnets of host-local's `subnet` and `ranges`, and of the capability `ipRanges`. */
function subnetsOf(configuration: JsonObject): string[] {
  const ipam = ipamOf(configuration);
  const ranges = [goLookup(ipam, "ranges"), goLookup(objectOf(configuration.runtimeConfig), "ipRanges")];
  const listed = ranges.flatMap((range) => (Array.isArray(range) ? range.flat() : [])).filter(isJsonObject);
  const subnets = [ipam, ...listed].map((range) => goLookup(range, "subnet"));
  return subnets.filter((subnet) => typeof subnet === "string");
}

/**
 * IPAM plugins that take the addresses of `args.cni.ips` from their own ranges (CONVENTIONS.md, "ips"). static adds them to
 * its own addresses, and dhcp does not read them.
 */
const choosingIpam: readonly unknown[] = ["host-local"];

/**
 * Returns the call with a request for these addresses. Undefined if there are none, if the plugin cannot be asked, or if the
 * runtime or the operator already asks for some (`IP=` in CNI_ARGS, `args.cni.ips`, the capability `ips`).
 */
export function askingFor(call: DelegateCall, addresses: readonly string[], args: string): DelegateCall | undefined {
  const { configuration } = call;
  if (addresses.length === 0) return undefined;
  const given = objectOf(configuration.args);
  if (!choosingIpam.includes(objectOf(configuration.ipam).type)) return undefined;
  const cni = objectOf(given.cni);
  const asksAlready = /(^|;)IP=/.test(args) || objectOf(configuration.runtimeConfig).ips || cni.ips;
  if (asksAlready) return undefined;
  return { ...call, configuration: { ...configuration, args: { ...given, cni: { ...cni, ips: addresses } } } };
}
