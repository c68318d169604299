import { profiles } from "../../plugins/index.ts";
import { profileOf } from "../../shared/plan/target.ts";
import type { CniResult } from "../../shared/protocol/result.ts";
import type { List } from "../lists/list.ts";
import { attachmentOf } from "../live/cached-results.ts";
import { callOf, callOrder, inVersion } from "../live/libcni.ts";
import type { PluginOutcome, PluginRun } from "../live/run-plugin.ts";
import type { Known } from "./known.ts";
import { plainAddress } from "./names.ts";

/** A plugin whose DEL failed. */
export interface FailedDel {
  readonly known: Known;
  readonly plugin: string;
  readonly error: string;
  /** Whether `prune` knows everything that the plugin makes. */
  readonly isKnown: boolean;
}

/**
 * Runs DEL for an attachment whose namespace is gone, as the runtime would: the list at the time of ADD, the last plugin
 * first. libcni stops at the first failure. Nobody repeats this DEL, so here every plugin gets its turn.
 */
export async function detach(
  known: Known,
  {
    cniPath,
    inUse,
    ask,
  }: {
    readonly cniPath: readonly string[];
    /** Addresses that others have now. firewall's DEL would remove their rules. */
    readonly inUse: ReadonlySet<string>;
    readonly ask: (run: PluginRun) => Promise<PluginOutcome>;
  },
): Promise<readonly FailedDel[]> {
  const failed: FailedDel[] = [];
  for (const { run, delegate } of delRuns(known, cniPath, inUse)) {
    const outcome = await ask(run);
    const isKnown = profileOf(delegate, profiles) !== undefined || delegate === "loopback";
    if (!outcome.passed) failed.push({ known, plugin: run.type, error: outcome.error, isKnown });
  }
  return failed;
}

/** The plugins that made interfaces without a result, and that have a DEL of their own which nobody can call without a list. */
export function unknownDelegates({ result, records }: Known): readonly string[] {
  const delegates = records.flatMap(({ record }) => record?.delegate ?? []);
  return result ? [] : [...new Set(delegates)].filter((delegate) => profileOf(delegate, profiles) === undefined);
}

function delRuns({ result, list }: Known, cniPath: readonly string[], inUse: ReadonlySet<string>) {
  if (!result || !list) return [];
  const attachment = { ...attachmentOf(result.attachment, cniPath.join(":")), netns: "" };
  const prevResult = prevResultFor(list, result.attachment.result, inUse);
  return callOrder(list, "DEL").map((index) => {
    const { type = "", delegate = "" } = list.plugins[index] ?? {};
    return { delegate, run: { type, ...callOf(list, index, "DEL", attachment, prevResult) } };
  });
}

function prevResultFor(
  { cniVersion = "0.1.0" }: List,
  result: CniResult | undefined,
  inUse: ReadonlySet<string>,
): CniResult | undefined {
  if (!result) return undefined;
  const ips = result.ips?.filter(({ address }) => !inUse.has(plainAddress(address)));
  return inVersion({ ...result, ...(ips && { ips }) }, cniVersion);
}
