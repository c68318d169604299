import type { Advice } from "../host/plugin-folder.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import type { Verdict } from "../live/check.ts";
import type { Strays } from "../live/every-attachment.ts";
import type { LookedAt } from "../live/looked-at.ts";
import type { Workload } from "../live/workload.ts";

/** The forecast for one attachment. */
export interface Forecast {
  readonly attachment: CachedAttachment;
  readonly workload: Workload;
  readonly verdict: Verdict;
  /** Keys of the list that changed since ADD. */
  readonly changed: readonly string[];
  /** Whether `adopt` can make its CHECK pass. */
  readonly isAdoptable: boolean;
}

/** The tool, the time and the lists of a report. */
interface ReportOrigin {
  /** The format of the JSON. Another number says that keys have another meaning. */
  readonly format: 1;
  readonly tool: { readonly version: string; readonly commit: string };
  /** As ISO 8601. */
  readonly time: string;
  readonly lists: readonly ListChecksum[];
  /** The list of `--with`; null without it. */
  readonly with: ListChecksum | null;
}

interface ListChecksum {
  readonly file: string;
  readonly sha256: string;
}

/** The answer of preflight for one host. */
export interface HostReport {
  readonly origin: ReportOrigin;
  readonly host: string;
  readonly forecasts: readonly Forecast[];
  readonly strays: Strays;
  readonly lookedAt: LookedAt;
  /** A line about each result that cannot be read. */
  readonly leftOut: readonly string[];
  /** Why Nomad would skip CHECK on this host; undefined if it would not. */
  readonly nomadSkipsCheck: Advice | undefined;
  /** The containers that Nomad perhaps does not know after a SIGKILL. */
  readonly unsaved: readonly string[];
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
    // guard: a container that Nomad has perhaps not saved is told
    return workload.runtime === "Nomad" && verdict.is !== "gone" && isYoung(attachment.file);
  });
  return [...new Set(young.map(({ attachment }) => attachment.containerId))];
}
