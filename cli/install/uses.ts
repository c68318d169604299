import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { readFile } from "../../shared/host/node/files.ts";
import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import { type AttachmentRecord, parseRecord, recordDirectory } from "../../shared/record/record.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import { isNamespace } from "../live/namespaces.ts";
import { workloadOf } from "../live/workload.ts";

/** A running container that the wrappers attached. */
export interface Use {
  readonly network: string;
  readonly containerId: string;
  /** The name that its runtime gives it, or the start of its id. */
  readonly name: string;
}

/** Finds the running containers that need the wrappers, from the runtime's results and from the wrappers' records. */
export function usesAmong(attachments: readonly CachedAttachment[], records = liveRecords()): readonly Use[] {
  const uses = new Map<string, Use>();
  for (const { network, containerId } of records)
    uses.set(`${network} ${containerId}`, { network, containerId, name: containerId.slice(0, 12) });
  for (const attachment of attachments) {
    const { network, containerId, netns, list } = attachment;
    const key = `${network} ${containerId}`;
    if (isNamespace(netns) && (uses.has(key) || isWrapped(list)))
      uses.set(key, { network, containerId, name: workloadOf(attachment).name });
  }
  return [...uses.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Whether a list names a wrapper, or has a block for one that stands in for the plugin. */
export function isWrapped(list: JsonObject | undefined): boolean {
  const plugins = Array.isArray(list?.plugins) ? list.plugins.filter(isJsonObject) : [];
  return plugins.some(
    ({ type, wrapper }) => wrapper !== undefined || (typeof type === "string" && type.endsWith("-wrapper")),
  );
}

/** Reads the records of this boot whose namespaces are still there. */
export function liveRecords(directory = recordDirectory): readonly AttachmentRecord[] {
  if (!existsSync(directory)) return [];
  const bootId = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return readdirSync(directory).flatMap((name) => {
    const record = parseRecord(`${recordDirectory}/${name}`, readFile(join(directory, name)));
    return record?.bootId === bootId && identityOf(record.netns) === record.namespace ? [record] : [];
  });
}

function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
