import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import type { Advice } from "../host/plugin-folder.ts";
import { withBar } from "../live/at-once.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import { type CheckOptions, checkOnHost, networkOf, type Verdict } from "../live/check.ts";
import type { Strays } from "../live/every-attachment.ts";
import type { LookedAt } from "../live/looked-at.ts";
import type { Workload, WorkloadNames } from "../live/workload.ts";
import type { Terminal } from "../terminal.ts";

/** How to make a forecast. */
interface ForecastOptions extends CheckOptions {
  /** Whether `adopt` can make the CHECK of an attachment with this verdict pass. */
  readonly isAdoptable: (attachment: CachedAttachment, verdict: Verdict) => Promise<boolean>;
  /** The agent answers while the plugins run. */
  readonly names: Promise<WorkloadNames>;
}

/** Checks the attachments that a command is about, several at a time, with a bar on a terminal. */
export async function forecastsOn(
  wanted: readonly CachedAttachment[],
  options: ForecastOptions,
  terminal: Pick<Terminal, "progress">,
): Promise<readonly Forecast[]> {
  return withBar(wanted, terminal, async (attachment) => {
    const network = networkOf(attachment, options);
    const changed = network && attachment.list ? changedKeys(attachment.list, network.value) : [];
    const verdict = await checkOnHost(attachment, options);
    const isAdoptable = await options.isAdoptable(attachment, verdict);
    return { attachment, workload: (await options.names)(attachment), verdict, changed, isAdoptable };
  });
}

/**
 * Returns the paths of the keys that differ between the list at the time of ADD and the current one, such as
 * `plugins[1].ipam.ranges`. Plugins are compared by their place.
 */
export function changedKeys(before: unknown, after: unknown, path = ""): readonly string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const [one, other] = [childrenOf(before), childrenOf(after)];
  if (!one || !other || Array.isArray(before) !== Array.isArray(after)) return [path];
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return keys.flatMap((key) => changedKeys(one[key], other[key], pathOf(path, key, Array.isArray(after))));
}

// Lists of texts and numbers differ as a whole.
function childrenOf(value: unknown): JsonObject | undefined {
  if (isJsonObject(value)) return value;
  const hasObjects = Array.isArray(value) && value.some(isJsonObject);
  return hasObjects ? Object.fromEntries(value.entries()) : undefined;
}

function pathOf(path: string, key: string, isIndex: boolean): string {
  if (isIndex) return `${path}[${key}]`;
  return path === "" ? key : `${path}.${key}`;
}

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
  /** What `--network` selects; null without it. */
  readonly network: string | null;
  /** What `--container` selects; null without it. */
  readonly container: string | null;
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
