import type { MemoryFile } from "../host/memory.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import { namespacePath } from "../live/namespaces.ts";
import type { Forecast } from "./forecast.ts";

/** The answer of preflight for one host. */
export interface HostReport {
  readonly host: string;
  readonly forecasts: readonly Forecast[];
  readonly strays: Strays;
  /** A line about each result that cannot be read. */
  readonly leftOut: readonly string[];
  /** Why Nomad would skip CHECK on this host; undefined if it would not. */
  readonly nomadSkipsCheck: string | undefined;
  /** The containers that Nomad perhaps does not know after a SIGKILL. */
  readonly unsaved: readonly string[];
}

/** What lies on the host and belongs to no attachment. */
export interface Strays {
  /** Namespaces that no attachment names. */
  readonly namespaces: readonly string[];
  /** Journals of the wrappers, and records of 0.2.0, whose container has no attachment. */
  readonly memories: readonly MemoryFile[];
}

/** Finds the namespaces and the wrappers' files that no attachment needs. */
export function straysAmong(
  attachments: readonly CachedAttachment[],
  namespaces: readonly string[],
  memories: readonly MemoryFile[],
): Strays {
  const paths = new Set(attachments.map(({ netns }) => namespacePath(netns)));
  const owners = new Set(attachments.map(({ network, containerId, ifName }) => `${network}:${containerId}:${ifName}`));
  return {
    namespaces: namespaces.filter((path) => !paths.has(namespacePath(path))),
    memories: memories.filter((one) => !owners.has(`${one.network}:${one.containerId}:${one.runtimeIfName}`)),
  };
}

/** In milliseconds: client/client.go, stateSnapshotIntv. */
const saveInterval = 60_000;

/** Returns the containers whose network Nomad has perhaps not saved yet: it saves every minute, and at SIGTERM. */
export function unsavedAmong(
  forecasts: readonly Forecast[],
  { now, modifiedMs }: { readonly now: number; readonly modifiedMs: (file: string) => number | undefined },
): readonly string[] {
  const isYoung = (file: string) => now - (modifiedMs(file) ?? 0) < saveInterval;
  const young = forecasts.filter(({ workload, verdict, attachment }) => {
    return workload.runtime === "Nomad" && verdict.is !== "gone" && isYoung(attachment.file);
  });
  return [...new Set(young.map(({ attachment }) => attachment.containerId))];
}
