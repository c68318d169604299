import { withBar } from "../live/at-once.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import { type CheckOptions, checkOnHost, networkOf, type Verdict } from "../live/check.ts";
import { workloadNames } from "../live/workload.ts";
import type { Terminal } from "../terminal.ts";
import type { Forecast } from "./host-report.ts";
import { changedKeys } from "./list-changes.ts";

/** How to make a forecast. */
export interface ForecastOptions extends CheckOptions {
  /** Whether `adopt` can make the CHECK of an attachment with this verdict pass. */
  readonly isAdoptable: (attachment: CachedAttachment, verdict: Verdict) => Promise<boolean>;
}

/** Checks the attachments that a command is about, several at a time, with a bar on a terminal. */
export async function forecastsOn(
  wanted: readonly CachedAttachment[],
  options: ForecastOptions,
  terminal: Pick<Terminal, "env" | "writeError" | "progress">,
): Promise<readonly Forecast[]> {
  // The agent answers while the plugins run.
  const names = workloadNames(wanted, terminal.env, terminal.writeError);
  return withBar(wanted, terminal, async (attachment) => {
    const network = networkOf(attachment, options);
    const changed = network && attachment.list ? changedKeys(attachment.list, network.value) : [];
    const verdict = await checkOnHost(attachment, options);
    const isAdoptable = await options.isAdoptable(attachment, verdict);
    return { attachment, workload: (await names)(attachment), verdict, changed, isAdoptable };
  });
}
