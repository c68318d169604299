import { isJsonObject, type JsonObject, parseJsonObject } from "../protocol/json.ts";
import { type AttachmentRecord, recordFile } from "./record.ts";

/** Parses a record; undefined if it is invalid or does not belong to the file's name. */
export function parseRecord(file: string, text: string | undefined): AttachmentRecord | undefined {
  const value = text === undefined ? undefined : parseJsonObject(text);
  return value && isRecord(value) && `${file}:`.startsWith(`${recordFile(value)}:`) ? value : undefined;
}

function isRecord(value: JsonObject): value is AttachmentRecord & JsonObject {
  const { before, made, added = [], addresses, configuration, later } = value;
  for (const key of texts) if (typeof value[key] !== "string") return false;
  return (
    isNumberOrAbsent(before) &&
    isNumberOrAbsent(made) &&
    Array.isArray(added) &&
    added.every((one) => isJsonObject(one) && typeof one.name === "string" && typeof one.sandbox === "string") &&
    (configuration === undefined || isJsonObject(configuration)) &&
    (later === undefined || isLaterAdd(later)) &&
    Array.isArray(addresses) &&
    addresses.every((address) => typeof address === "string")
  );
}

function isNumberOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "number";
}

function isLaterAdd(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { netns, namespace, recordedMs } = value;
  return typeof netns === "string" && typeof namespace === "string" && typeof recordedMs === "number";
}

const texts: readonly (keyof AttachmentRecord)[] = [
  ...(["network", "containerId", "runtimeIfName", "ifName"] as const),
  ...(["bootId", "namespace", "netns", "delegate", "delegateNetwork"] as const),
];
