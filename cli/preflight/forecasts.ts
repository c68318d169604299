import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import type { Advice } from "../host/plugin-folder.ts";
import { sha256 } from "../install/place.ts";
import type { ListFile } from "../lists/list-file.ts";
import { withBar } from "../live/at-once.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import { networkOf, type Verdict } from "../live/check.ts";
import type { checkEvery, HostView, LookedAt, straysAmong } from "../live/every-attachment.ts";
import type { Lists } from "../live/networks.ts";
import type { WorkloadNames } from "../live/workload.ts";
import type { Terminal } from "../terminal.ts";

/** How to make a forecast. */
interface ForecastOptions extends Pick<Lists, "networks"> {
  /** Whether `adopt` can make the CHECK of an attachment with this verdict pass. */
  readonly isAdoptable: (attachment: CachedAttachment, verdict: Verdict) => Promise<boolean>;
  /** The agent answers while the plugins run. */
  readonly names: Promise<WorkloadNames>;
}

/** The forecast for one attachment. */
export type Forecast = Awaited<ReturnType<typeof forecastsOn>>[number];

/**
 * Tells what the verdicts are about, several at a time, with a bar on a terminal. `changed` are the keys of the list that changed
 * since ADD, and `isAdoptable` says whether `adopt` can make CHECK pass.
 */
export async function forecastsOn(
  checked: Awaited<ReturnType<typeof checkEvery>>["checked"],
  options: ForecastOptions,
  terminal: Pick<Terminal, "progress">,
) {
  return withBar(checked, terminal, async ({ attachment, verdict }) => {
    const network = networkOf(attachment, options);
    const changed = network && attachment.list ? changedKeys(attachment.list, network.value) : [];
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

/** The tool, the time, the lists and the options of a report. */
export function originOf({ paths, check }: HostView, now: number, { release }: Pick<Terminal, "release">) {
  const { files, with: instead } = check;
  const checksumOf = ({ path, text }: ListFile) => ({ file: path, sha256: sha256(Buffer.from(text)) });
  return {
    /** The format of the JSON. Another number says that keys have another meaning. */
    format: 1,
    tool: { version: release.version, commit: release.commit },
    time: new Date(now).toISOString(),
    lists: files.map(checksumOf),
    with: instead ? checksumOf(instead.list.file) : null,
    network: paths.network ?? null,
    container: paths.containerId ?? null,
  };
}

/** The answer of preflight for one host. */
export interface HostReport {
  readonly origin: ReturnType<typeof originOf>;
  readonly host: string;
  readonly forecasts: readonly Forecast[];
  readonly strays: ReturnType<typeof straysAmong>;
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
