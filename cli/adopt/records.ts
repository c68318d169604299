import { join } from "node:path";
import { bootIdOf } from "../../shared/act/record-search.ts";
import { listDirectory, readFile, stat } from "../../shared/host/node/files.ts";
import { type AttachmentRecord, type Lease, namespaceOf, parseLease, recordFile } from "../../shared/record/record.ts";
import { leaseDirectoryOf } from "../lists/leases.ts";
import type { ListedPlugin } from "../lists/list.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import { addressesOf, type Facts } from "./facts.ts";

/** A record that a live attachment lacks. */
export interface MissingRecord {
  readonly file: string;
  readonly record: AttachmentRecord;
}

/**
 * Returns the records that the wrapped creators of a list would have left, if they had made the interfaces in the namespace.
 * A record names the network under which the leases are.
 */
export function missingRecords(
  attachment: CachedAttachment,
  creators: readonly ListedPlugin[],
  { inside }: Facts,
): readonly MissingRecord[] {
  const [namespace, bootId] = [namespaceOf(stat(attachment.netns)), bootIdOf({ readFile })];
  // The container ended meanwhile.
  if (namespace === undefined || bootId === undefined) return [];
  return creators.flatMap((creator) => {
    const link = inside.find(({ ifname }) => ifname === creator.ifName);
    if (!creator.isWrapped || !link) return [];
    const { network, containerId, ifName: runtimeIfName, netns } = attachment;
    const record: AttachmentRecord = {
      network,
      containerId,
      runtimeIfName,
      ifName: creator.ifName,
      bootId,
      namespace,
      netns,
      delegate: creator.delegate,
      delegateNetwork: leasedNetwork(attachment, creator),
      made: link.ifindex,
      addresses: addressesOf(link),
    };
    return [{ file: recordFile(record), record }];
  });
}

/** The network under which the creator's lease is: the wrapper's own, or the list's, where a script left it. */
function leasedNetwork(attachment: CachedAttachment, creator: ListedPlugin): string {
  const isIn = (network: string) => leasesFor(attachment, { ...creator, network }).length > 0;
  return [creator.network, attachment.network].find(isIn) ?? creator.network;
}

/** The addresses that host-local gave to a creator's interface, under the wrapper's own network or the list's. */
export function leasedAddresses(attachment: CachedAttachment, creator: ListedPlugin): readonly string[] {
  const networks = [creator.network, attachment.network];
  return networks.flatMap((network) => leasesFor(attachment, { ...creator, network })).map(({ address }) => address);
}

function leasesFor({ containerId }: CachedAttachment, creator: ListedPlugin): readonly Lease[] {
  const leases = leasesIn(leaseDirectoryOf(creator));
  return leases.filter((lease) => lease.containerId === containerId && lease.ifName === creator.ifName);
}

function leasesIn(directory: string): readonly Lease[] {
  const names = listDirectory(directory).filter((name) => /^[0-9a-f.:_]+$/i.test(name));
  return names.flatMap((name) => parseLease(name, readFile(join(directory, name)) ?? "") ?? []);
}
