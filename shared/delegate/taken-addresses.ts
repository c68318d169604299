import { addressIn, ipName } from "../attachment/subnet.ts";
import type { Facts } from "../journal/facts.ts";
import { type Lease, leaseDirectoryOf } from "../journal/host-files.ts";
import {
  type AttachmentKey,
  type Entry,
  isHalfRemoved,
  isSameAttachment,
  isStanding,
  withoutStrays,
} from "../journal/journal.ts";
import { ipamOf, isJsonObject, type JsonObject, objectOf, objectsOf } from "../protocol/json.ts";
import type { CniResult } from "../protocol/result.ts";

/**
 * Returns a configuration whose prevResult lists no address that another container has by now. A runtime repeats a DEL that was
 * killed after the creator freed its leases. By then another container may have got an address, and firewall's rules name
 * nothing else.
 */
export function withoutAddressesOfOthers(facts: Facts, key: AttachmentKey, configuration: JsonObject) {
  const taken = takenBy(facts, key, configuration);
  return { kept: withoutAddresses(configuration, new Set(taken.map(ipName))), taken };
}

/**
 * The addresses for which a sibling has the plugin, too, and those that another container has, and this one does not lease: an
 * unrelated network may have the same. host-local's leases tell in most cases; looking through all journals takes long.
 */
function takenBy(facts: Facts, key: AttachmentKey, { type, prevResult }: JsonObject): readonly string[] {
  const { containerId } = key;
  const addresses = addressesIn(prevResult);
  const creators = facts.journal(key).entries.filter(({ role, isUndone }) => role === "creator" && !isUndone);
  const directories = creators.map(leaseDirectoryOfEntry);
  const leased = addresses.map((cidr) => ({ cidr, leases: facts.leasesOf(addressIn(cidr), directories) }));
  const isUnleased = leased.some(({ leases }) => leases.length === 0);
  const others = isUnleased ? addressesOfOthers(facts, containerId) : new Set();
  const isOwn = ({ leases }: { leases: readonly Lease[] }) => leases.some((one) => one.containerId === containerId);
  const entries = facts.siblings(key).flatMap((sibling) => sibling.entries.filter((one) => one.type === type));
  const siblings = rememberedIn(facts, entries);
  const taken = leased.filter(
    (one) => siblings.has(ipName(one.cidr)) || (!isOwn(one) && (one.leases.length > 0 || others.has(ipName(one.cidr)))),
  );
  return taken.map(({ cidr }) => cidr);
}

/**
 * Returns the names of the addresses that other containers have: by their journals of this boot, and by libcni's results where
 * there was no journal. A result may be of an earlier ADD.
 */
function addressesOfOthers(facts: Facts, containerId: string): ReadonlySet<unknown> {
  const journals = facts
    .journals()
    .filter((one) => one.key.containerId !== containerId && withoutStrays(one).length > 0);
  // What is half removed needs no rules any more.
  const attached = journals.flatMap((journal) => (isHalfRemoved(journal) ? [] : journal.entries));
  const remembered = rememberedIn(facts, attached);
  const hasJournal = (key: AttachmentKey) =>
    journals.some((one) => isSameAttachment(one.key, key)) || facts.isUndone(key);
  const results = facts.allResults().filter(({ key }) => key.containerId !== containerId && !hasJournal(key));
  const listed = results.flatMap(({ result }) => addressesIn(result));
  return new Set([...remembered, ...listed.map(ipName)]);
}

/** The names of the addresses of the entries of this boot that stand. */
function rememberedIn(facts: Facts, entries: readonly Entry[]): ReadonlySet<unknown> {
  const moment = facts.moment();
  const present = entries.filter((one) => isStanding(one) && (!moment || one.bootId === moment.bootId));
  const addresses = present.flatMap(({ done, configuration: { prevResult } }) => [
    ...(done?.addresses ?? []),
    ...addressesIn(prevResult),
  ]);
  return new Set(addresses.map(ipName));
}

function withoutAddresses(configuration: JsonObject, names: ReadonlySet<unknown>): JsonObject {
  if (names.size === 0) return configuration;
  // The addresses are of this list.
  const { prevResult } = configuration as { prevResult: JsonObject & { ips: readonly unknown[] } };
  const isFree = (ip: unknown) => !isJsonObject(ip) || typeof ip.address !== "string" || !names.has(ipName(ip.address));
  return { ...configuration, prevResult: { ...prevResult, ips: prevResult.ips.filter(isFree) } };
}

/** Returns the result with the addresses of another one, too. */
export function withAddressesOf(result: CniResult, other: unknown): CniResult {
  const listed = new Set(addressesIn(result).map(ipName));
  const more = addressesIn(other).filter((cidr) => !listed.has(ipName(cidr)));
  if (more.length === 0) return result;
  return { ...result, ips: [...(result.ips ?? []), ...more.map((address) => ({ address }))] };
}

/** Returns the addresses in a result, such as `172.26.64.2/20`. */
export function addressesIn(result: unknown): string[] {
  const addresses = objectsOf(objectOf(result).ips)
    .map(({ address }) => address)
    .filter((address) => typeof address === "string");
  return addresses.filter((address) => ipName(address) !== undefined);
}

/** Returns the addresses that host-local leased to the interface of an entry. */
export function leasedTo(facts: Facts, entry: Entry): readonly string[] {
  const { containerId, ifName } = entry;
  const leases = facts.leases(leaseDirectoryOfEntry(entry));
  const own = leases.filter((lease) => lease.containerId === containerId && lease.ifName === ifName);
  return own.map(({ address }) => `${address}/${address.includes(":") ? 128 : 32}`);
}

function leaseDirectoryOfEntry({ configuration, delegateNetwork }: Entry): string {
  return leaseDirectoryOf(ipamOf(configuration), delegateNetwork);
}

/**
 * Whether an attachment that only libcni knows may have a lease of an entry's interface and network. Its result lists what it
 * has: if a wrapped one's journal has gone just now, that is a lease in another network. An entry without a lease of host-local
 * may have one of another IPAM plugin.
 */
export function mayHaveLease(facts: Facts, entry: Entry, result: CniResult): boolean {
  const leased = leasedTo(facts, entry).map(ipName);
  return leased.length === 0 || addressesIn(result).some((one) => leased.includes(ipName(one)));
}
