import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import { withBar } from "../live/at-once.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import { type CheckOptions, checkOnHost, networkOf, type Verdict } from "../live/check.ts";
import type { WorkloadNames } from "../live/workload.ts";
import type { Terminal } from "../terminal.ts";
import type { Forecast } from "./host-report.ts";

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
export function changedKeys(before: JsonObject, after: JsonObject): readonly string[] {
  return differences(before, after, "");
}

function differences(before: unknown, after: unknown, path: string): readonly string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const [one, other] = [childrenOf(before), childrenOf(after)];
  if (!one || !other || Array.isArray(before) !== Array.isArray(after)) return [path];
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return keys.flatMap((key) => differences(one[key], other[key], pathOf(path, key, Array.isArray(after))));
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
