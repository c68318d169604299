import { withInterfaces } from "../attachment/attachments.ts";
import { parseCidr, parseIp } from "../attachment/subnet.ts";
import { type Session, warn } from "../call/session.ts";
import type { Entry } from "../journal/journal.ts";
import type { Del } from "../journal/sharing.ts";
import { fileDirectory, profileOf, scopeOf } from "../plugin/profile.ts";
import { goLookup, ipamOf, isJsonObject, type JsonObject, withGoKey } from "../protocol/json.ts";
import { anyText, goObject, leaf, list, nullish, optional, problemIn } from "../protocol/shapes.ts";
import { withoutAddressesOfOthers } from "./taken-addresses.ts";
import type { Undoing } from "./undoing.ts";

/**
 * Whether the DEL with the list's configuration frees what the one with the entry's would. That of another IPAM plugin, or in
 * another directory, passes, and frees nothing; that without `ipMasq` leaves its rules. An ADD that failed has freed its lease
 * itself, and may have failed because its IPAM plugin is missing.
 */
export function freesTheSame({ failed, type }: Entry, own: JsonObject = {}, listed: JsonObject = {}): boolean {
  if (fileDirectory(own, type) !== fileDirectory(listed, type)) return false;
  if (goLookup(own, "ipMasq") === true && goLookup(listed, "ipMasq") !== true) return false;
  const isAlike = (key: string) => goLookup(ipamOf(own), key) === goLookup(ipamOf(listed), key);
  return failed !== undefined || (isAlike("type") && isAlike("dataDir"));
}

/**
 * The configuration without the gateways of host-local's ranges; undefined if there are none. DEL does not use them, and fails if
 * a newer host-local than that of the ADD refuses one: 1.10.0 does if it is outside the subnet (Canonicalize in
 * plugins/ipam/host-local/backend/allocator/range.go).
 */
export function withoutGateways(configuration: JsonObject): JsonObject | undefined {
  const ipam = ipamOf(configuration);
  if (goLookup(ipam, "type") !== "host-local") return undefined;
  const without = (range: unknown) => (isJsonObject(range) ? withGoKey(range, "gateway", null) : range);
  const ranges = goLookup(ipam, "ranges");
  const sets = Array.isArray(ranges) ? ranges.map((set) => (Array.isArray(set) ? set.map(without) : set)) : ranges;
  const all = [ipam, ...(Array.isArray(ranges) ? ranges.flat() : [])].filter(isJsonObject);
  const gateways = all.map((one) => goLookup(one, "gateway")).filter(Boolean);
  // No host-local has attached with anything but addresses.
  const areAddresses = gateways.every((gateway) => typeof gateway === "string" && parseIp(gateway));
  if (gateways.length === 0 || !areAddresses) return undefined;
  const changed = withGoKey(ipam, "gateway", null);
  return withGoKey(configuration, "ipam", withGoKey(changed, "ranges", sets));
}

/** The configuration, with the interfaces that the plugin added in prevResult. */
export function withEverythingAdded({ configuration, done }: Entry): JsonObject {
  const { prevResult } = configuration;
  if (!isJsonObject(prevResult)) return configuration;
  return { ...configuration, prevResult: withInterfaces(prevResult, done?.added ?? []) };
}

/** The configuration with which the DEL of a creator leaves what another attachment has, too: its lease, its packet rules. */
export function withoutShared(configuration: JsonObject, removal: Del): JsonObject {
  const keepsLease = !removal.freesLease && isJsonObject(goLookup(configuration, "ipam"));
  const kept = keepsLease ? withGoKey(configuration, "ipam", { type: "static" }) : configuration;
  const keepsRules = removal.keepsSpoofCheck && goLookup(kept, "macspoofchk") === true;
  const unchecked = keepsRules ? withGoKey(kept, "macspoofchk", false) : kept;
  return removal.keepsMasquerading ? withGoKey(unchecked, "ipMasq", false) : unchecked;
}

/**
 * The configuration with a prevResult that a plugin can read: in the configuration's version, and none if a value in it is not
 * what Go's types hold. A plugin that cannot read prevResult fails DEL, each time (ParsePrevResult of containernetworking/cni).
 */
export function withReadablePrevResult(session: Session, configuration: JsonObject): JsonObject {
  const { prevResult, ...rest } = configuration;
  if (!isJsonObject(prevResult)) return configuration;
  // A program in Go reads a missing version as 0.1.0, and takes an empty one in prevResult for that.
  const cniVersion = rest.cniVersion ?? "";
  const problem = problemIn(goResult, prevResult, "prevResult");
  if (problem === undefined) return { ...rest, prevResult: { ...prevResult, cniVersion } };
  warn(session, `prevResult is ignored: no plugin can read it: ${problem}`);
  return rest;
}

const anything = leaf(() => undefined);
const words = nullish(anyText);
const texts = nullish(list(words));
const whole = nullish(leaf((value) => (Number.isSafeInteger(value) ? undefined : "must be a whole number")));
const cidr = optional(
  leaf((value) => (typeof value === "string" && parseCidr(value) ? undefined : "must be an address with a length")),
);
const ip = nullish(
  leaf((value) => (value === "" || (typeof value === "string" && parseIp(value)) ? undefined : "must be an address")),
);
const routes = nullish(
  list(goObject({ dst: cidr, gw: ip, mtu: whole, advmss: whole, priority: whole, table: whole, scope: whole })),
);
const unchained = nullish(goObject({ ip: cidr, gateway: ip, routes }));

/** What Go's types hold of a result, in all versions (pkg/types). Its version is replaced. */
const goResult = goObject({
  cniVersion: anything,
  interfaces: nullish(
    list(goObject({ name: words, mac: words, sandbox: words, socketPath: words, pciID: words, mtu: whole })),
  ),
  ips: nullish(list(goObject({ address: cidr, gateway: ip, version: words, interface: whole }))),
  routes,
  dns: nullish(goObject({ nameservers: texts, domain: words, search: texts, options: texts })),
  ip4: unchained,
  ip6: unchained,
});

/** The configuration without addresses that others have by now, if the plugin's rules name nothing else. */
export function withoutTakenAddresses(undoing: Undoing, entry: Entry, configuration: JsonObject): JsonObject {
  const { session, journal, facts } = undoing;
  const profile = profileOf(entry.type, session.profiles);
  const mayNameAddresses = entry.role === "meta" && (profile === undefined || scopeOf(profile) === "address");
  if (!mayNameAddresses) return configuration;
  const { kept, taken } = withoutAddressesOfOthers(facts, journal.key, configuration);
  if (taken.length > 0) {
    warn(session, `another container has ${taken.join(", ")} by now: DEL does not remove its rules`);
  }
  return kept;
}
