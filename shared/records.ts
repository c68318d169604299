import type { Host } from "./host/host.ts";
import { isRoutingFile, parseRecord, recordDirectory, type ValidAttachments } from "./plan/record.ts";
import { type JsonObject, parseJsonObject } from "./protocol/json.ts";

/** Removes the records of a network's interface whose attachments are not valid any more. */
export function forgetInvalid(host: Host, { network, ifName, valid }: ValidAttachments): void {
  for (const name of host.listDirectory(recordDirectory).filter((candidate) => candidate.startsWith(`${network}-`))) {
    const file = `${recordDirectory}/${name}`;
    const record = recordIn(host, file, ifName);
    if (record?.network !== network) continue;
    const isValid = valid.some(
      (one) => one.containerId === record.containerId && one.runtimeIfName === record.runtimeIfName,
    );
    if (!isValid) host.removeFile(file);
  }
}

/** A record of an interface, or of a container's moved routes: whose interface's they are does not matter. */
function recordIn(host: Host, file: string, ifName: string | undefined): JsonObject | undefined {
  const text = host.readFile(file);
  if (isRoutingFile(file)) return parseJsonObject(text ?? "");
  const record = parseRecord(text);
  return record && record.ifName === (ifName ?? record.runtimeIfName) ? { ...record } : undefined;
}
