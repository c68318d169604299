import { readFile, stat } from "../../shared/host/node/files.ts";
import { checksumOf, type Entry, journalFile, type Line, namespaceOf } from "../../shared/journal/journal.ts";
import { beganLine, linesText } from "../../shared/journal/lines.ts";
import { addressesOf, type ContainerLinks } from "../host/links.ts";
import { Memory } from "../host/memory.ts";
import { leasesOf } from "../lists/ipam.ts";
import { type ListedPlugin, listFrom } from "../lists/list.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import { withSortedKeys } from "../live/libcni.ts";

/** The journal that a live attachment lacks. */
export type MissingJournal = NonNullable<ReturnType<typeof missingJournal>>;

/**
 * Returns the journal that the wrapped creators of a list would have left, if they had made the interfaces in the namespace;
 * undefined if there is one, or nothing to write in it. Its entries are as old as libcni's result.
 */
export function missingJournal(attachment: CachedAttachment, creators: readonly ListedPlugin[], links: ContainerLinks) {
  const file = journalFile(attachment);
  // guard: a journal that is there
  if (readFile(file) !== undefined) return undefined;
  const wrapped = creators.filter(({ isWrapped }) => isWrapped);
  const lines = wrapped.flatMap((creator) => entryLines(attachment, creator, links));
  return lines.length === 0 ? undefined : { file, text: linesText(lines) };
}

function entryLines(attachment: CachedAttachment, creator: ListedPlugin, { inside }: ContainerLinks): readonly Line[] {
  const moment = new Memory().moment();
  const namespace = namespaceOf(attachment.netns, stat(attachment.netns));
  const link = inside.find(({ ifname }) => ifname === creator.ifName);
  const result = stat(attachment.file);
  // The container ended meanwhile.
  if (!moment || !namespace || !link || !result) return [];
  const { network, containerId, runtimeIfName, args } = attachment;
  const { delegate, ifName, wrapper, configuration, isRenamed } = creator;
  const { wrapper: _, ...own } = configuration;
  const { cniVersion } = (attachment.list && listFrom(attachment.list)) ?? {};
  const delegateNetwork = leasedNetwork(attachment, creator);
  const uptime = Math.max(0, moment.uptime - (Date.now() - result.modifiedMs) / 1000);
  const id = `adopted-${ifName}`;
  const entry: Omit<Entry, "isGivenUp" | "isUndone"> = {
    ...{ network, containerId, runtimeIfName, id, type: delegate, role: "creator", ifName, delegateNetwork },
    ...{ bootId: moment.bootId, uptime, namespace, before: 0, path: "" },
    args: isRenamed ? "" : args.map((pair) => pair.join("=")).join(";"),
    checksum: checksumOf(withSortedKeys({ ...configuration, name: network })),
    wrapper,
    configuration: { cniVersion, ...own, name: delegateNetwork, type: delegate },
  };
  return [beganLine(entry), { line: "done", id, made: link.ifindex, addresses: addressesOf(link) }];
}

/** The network under which the creator's lease is: the wrapper's own, or the list's, where a script left it. */
function leasedNetwork({ containerId, network: listed }: CachedAttachment, creator: ListedPlugin): string {
  const isIn = (network: string) => {
    const leases = new Memory().leases(leasesOf({ ...creator, network }));
    return leases.some((lease) => lease.containerId === containerId && lease.ifName === creator.ifName);
  };
  return [creator.network, listed].find(isIn) ?? creator.network;
}
