import { ipName } from "../../shared/attachment/subnet.ts";
import { addressesIn } from "../../shared/delegate/taken-addresses.ts";
import { keyOf, Memory } from "../host/memory.ts";
import type { List } from "../lists/list.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import { leaseDirectories } from "../prune/read-leases.ts";

/** Whether an address is the one of an attachment's interface. */
export type IsOwnAddress = (address: string, attachment: CachedAttachment, ifName: string) => boolean;

/**
 * Reads who names which address. An interface's own are those of its leases that no other lease, journal or result names: a
 * container can add any other address to its interface, and DEL removes the packet rules of every address in a result.
 */
export function readOwnAddresses(results: readonly CachedAttachment[], lists: readonly List[]): IsOwnAddress {
  const memory = new Memory();
  const holders = new Map<string | undefined, Set<string>>();
  const add = (addresses: readonly string[], holder: string) => {
    for (const name of addresses.map(ipName)) holders.set(name, (holders.get(name) ?? new Set()).add(holder));
  };
  const folders = leaseDirectories(lists).flatMap((path) => memory.list(path).map((network) => `${path}/${network}`));
  for (const { address, containerId, ifName } of folders.flatMap((folder) => memory.leases(folder)))
    add([address], leaseOf(containerId, ifName));
  for (const { key, entries } of memory.journals())
    for (const { isUndone, done, configuration } of entries)
      if (!isUndone) add([...(done?.addresses ?? []), ...addressesIn(configuration.prevResult)], keyOf(key));
  for (const { key, result } of memory.allResults()) add(addressesIn(result), keyOf(key));
  for (const one of results) add(addressesIn(one.result), keyOf(one));
  return (address, attachment, ifName) => {
    const lease = leaseOf(attachment.containerId, ifName);
    const found = [...(holders.get(ipName(address)) ?? [])];
    return found.includes(lease) && found.every((holder) => holder === lease || holder === keyOf(attachment));
  };
}

function leaseOf(containerId: string, ifName: string): string {
  return `lease ${containerId} ${ifName}`;
}
