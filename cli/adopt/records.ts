import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import { type AttachmentRecord, recordFile } from "../../shared/record/record.ts";
import type { ListedPlugin } from "../lists/list.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import type { Facts } from "./facts.ts";

/** A record that a live attachment lacks. */
export interface MissingRecord {
  readonly file: string;
  readonly record: AttachmentRecord;
}

const leaseDirectory = "/var/lib/cni/networks";

/**
 * Returns the records that the wrapped creators of a list would have left, if they had made the interfaces in the namespace.
 * A record names the network under which the leases are.
 */
export function missingRecords(
  attachment: CachedAttachment,
  creators: readonly ListedPlugin[],
  { inside }: Facts,
): readonly MissingRecord[] {
  return creators.flatMap((creator) => {
    const link = inside.find(({ ifname }) => ifname === creator.ifName);
    if (!creator.isWrapped || !link) return [];
    const { network, containerId, ifName: runtimeIfName, netns } = attachment;
    const { dev, ino } = statSync(netns);
    const record: AttachmentRecord = {
      network,
      containerId,
      runtimeIfName,
      ifName: creator.ifName,
      bootId: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
      namespace: `${dev}:${ino}`,
      netns,
      delegate: creator.delegate,
      delegateNetwork: leasedNetwork(attachment, creator),
      made: link.ifindex,
      addresses: (link.addr_info ?? [])
        .filter(({ scope }) => scope === "global")
        .map(({ local, prefixlen }) => `${local}/${prefixlen}`),
    };
    return [{ file: recordFile(record), record }];
  });
}

/** The network under which the creator's lease is: the wrapper's own, or the list's, where a script left it. */
function leasedNetwork({ network, containerId }: CachedAttachment, creator: ListedPlugin): string {
  const directory = dataDirectory(creator.configuration);
  const isIn = (name: string) => leaseOwners(join(directory, name)).includes(`${containerId} ${creator.ifName}`);
  return [creator.network, network].find(isIn) ?? creator.network;
}

function dataDirectory({ ipam }: JsonObject): string {
  return isJsonObject(ipam) && typeof ipam.dataDir === "string" && ipam.dataDir !== "" ? ipam.dataDir : leaseDirectory;
}

// host-local: a file for each address, with the container's id and the interface (backend/disk/backend.go).
function leaseOwners(directory: string): readonly string[] {
  try {
    const files = readdirSync(directory).filter((name) => /^[0-9a-f.:_]+$/i.test(name));
    return files.map((name) => readFileSync(join(directory, name), "utf8").trim().replace(/\r?\n/, " "));
  } catch {
    return [];
  }
}
