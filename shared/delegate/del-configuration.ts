import { withInterfaces } from "../attachment/attachments.ts";
import { isCidr, parseIp } from "../attachment/subnet.ts";
import { type Session, warn } from "../call/session.ts";
import { ipamOf } from "../journal/host-files.ts";
import type { Entry } from "../journal/journal.ts";
import type { Removal } from "../journal/sharing.ts";
import { profileOf, scopeOf } from "../plugin/profile.ts";
import { goLookup, isJsonObject, isSameInGo, type JsonObject, withGoKey } from "../protocol/json.ts";
import type { CniResult } from "../protocol/result.ts";
import { withoutAddressesOfOthers } from "./taken-addresses.ts";
import type { Undoing } from "./undoing.ts";

/**
 * Whether the DEL with the list's configuration frees what the one with the entry's would. That of another IPAM plugin passes,
 * and frees nothing; that without `ipMasq` leaves its rules. An ADD that failed has freed its lease itself, and may have failed
 * because its IPAM plugin is missing.
 */
export function freesTheSame({ failed }: Entry, own: JsonObject, listed: JsonObject): boolean {
  if (goLookup(own, "ipMasq") === true && goLookup(listed, "ipMasq") !== true) return false;
  return failed !== undefined || goLookup(ipamOf(own), "type") === goLookup(ipamOf(listed), "type");
}

/** The configuration, with the interfaces that the plugin added in prevResult. */
export function withEverythingAdded({ configuration, done }: Entry): JsonObject {
  const { prevResult } = configuration;
  const added = done?.added ?? [];
  if (added.length === 0 || !isJsonObject(prevResult)) return configuration;
  return { ...configuration, prevResult: withInterfaces(prevResult, added) };
}

/** The configuration with which the DEL of a creator leaves what another attachment has, too: its lease, its masquerading. */
export function withoutShared(configuration: JsonObject, removal: Removal & { do: "DEL" }): JsonObject {
  const keepsLease = !removal.freesLease && isJsonObject(goLookup(configuration, "ipam"));
  const kept = keepsLease ? withGoKey(configuration, "ipam", { type: "static" }) : configuration;
  return removal.keepsMasquerading ? withGoKey(kept, "ipMasq", false) : kept;
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
  if (isReadable(prevResult as CniResult)) return { ...rest, prevResult: { ...prevResult, cniVersion } };
  warn(session, "prevResult is ignored: no plugin can read it");
  return rest;
}

function isReadable(result: CniResult): boolean {
  const { interfaces, ips, routes, dns, ip4, ip6 } = result;
  const unchained = [ip4, ip6].filter((one) => one !== undefined && one !== null);
  return (
    areAll([result], [isAnything, "cniVersion", "interfaces", "ips", "routes", "dns", "ip4", "ip6"]) &&
    areAll(dns ? [dns] : [], [isAnything, "nameservers", "domain", "search", "options"]) &&
    areAll(unchained, [isAddress, "ip"], [isIp, "gateway"], [areRoutes, "routes"]) &&
    areAll(interfaces, [isText, "name", "mac", "sandbox", "socketPath", "pciID"], [isWhole, "mtu"]) &&
    areAll(ips, [isAddress, "address"], [isIp, "gateway"], [isText, "version"], [isWhole, "interface"]) &&
    areRoutes(routes)
  );
}

function areRoutes(list: unknown): boolean {
  return areAll(list, [isAddress, "dst"], [isIp, "gw"], [isWhole, "mtu", "advmss", "priority", "table", "scope"]);
}

type Rule = readonly [holds: (value: unknown) => boolean, ...keys: string[]];

/** Whether a list is missing, or its objects hold what they must, and spell the keys so. A program in Go also reads others. */
function areAll(list: unknown, ...rules: readonly Rule[]): boolean {
  if (list === undefined || list === null) return true;
  const known = rules.flatMap(([, ...keys]) => keys);
  const isValid = (one: JsonObject) =>
    rules.every(([holds, ...keys]) => keys.every((key) => one[key] === undefined || holds(one[key]))) &&
    Object.keys(one).every((name) => known.includes(name) || !known.some((key) => isSameInGo(name, key.toLowerCase())));
  return Array.isArray(list) && list.every((one) => isJsonObject(one) && isValid(one));
}

const isAnything = () => true;
const isText = (value: unknown) => value === null || typeof value === "string";
const isWhole = (value: unknown) => value === null || Number.isSafeInteger(value);
const isAddress = (value: unknown) => typeof value === "string" && isCidr(value);
const isIp = (value: unknown) => value === null || value === "" || (typeof value === "string" && !!parseIp(value));

/** The configuration without addresses that others have by now, if the plugin's rules name nothing else. */
export function keepingOthers(undoing: Undoing, entry: Entry, configuration: JsonObject): JsonObject {
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
