import { Memory } from "../host/memory.ts";
import { leasesOf } from "../lists/ipam.ts";
import type { List } from "../lists/list.ts";
import { interfaceNames, readAttachments } from "../live/cached-results.ts";

/** A running attachment that no wrapper made, or made only in part. */
export type OlderAttachment = ReturnType<typeof olderAttachments>[number];

/**
 * Reads which attachments of a list something other than the wrappers made: libcni's cache has their results, and at least one
 * interface that is not the runtime's is in no journal. `interfaces` are in the order of the list, and `leased` are those that
 * no journal has, with a lease under the list's own name. `leaveOut` gets a line about each result that cannot be read.
 */
export function olderAttachments({ name, plugins }: List, state: string, leaveOut: (line: string) => void) {
  if (name === undefined) return [];
  const memory = new Memory(state);
  const directories = new Set(plugins.map((plugin) => leasesOf({ ...plugin, network: name })));
  const leases = [...directories].flatMap((directory) => memory.leases(directory));
  return readAttachments({ cacheDirectory: state, network: name }, leaveOut).wanted.flatMap((one) => {
    const { containerId, runtimeIfName } = one;
    const interfaces = interfaceNames(one).filter((name) => name !== "lo");
    const made = memory.journal(one).entries.map(({ ifName }) => ifName);
    const older = interfaces.filter((name) => name !== runtimeIfName && !made.includes(name));
    const leased = older.filter((name) =>
      leases.some((lease) => lease.containerId === containerId && lease.ifName === name),
    );
    return older.length > 0 ? [{ containerId, interfaces, leased }] : [];
  });
}
