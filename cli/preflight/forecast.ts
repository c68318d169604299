import { isJsonObject } from "../../shared/protocol/json.ts";
import type { List, ListedPlugin } from "../lists/list.ts";
import { attachmentOf, type CachedAttachment } from "../live/cached-results.ts";
import { callOf, callOrder, inVersion } from "../live/libcni.ts";
import type { Network } from "../live/networks.ts";
import type { PluginOutcome, PluginRun } from "../live/run-plugin.ts";
import type { Workload } from "../live/workload.ts";

/** What the next restart of the runtime would do to an attachment. */
export type Verdict =
  /** Every plugin's CHECK passes. */
  | { readonly is: "passes" }
  /** CHECK fails: Nomad destroys the container's network. `plugin` is missing if no plugin was asked. */
  | { readonly is: "fails"; readonly error: string; readonly plugin?: string; readonly position?: number }
  /** The runtime asks no plugin. */
  | { readonly is: "unchecked"; readonly why: string }
  /** The container's namespace is gone, so nothing is checked. */
  | { readonly is: "gone" };

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

/** What is known of the host without asking a plugin. */
export interface Circumstances {
  readonly network: Network | undefined;
  readonly isLive: boolean;
  readonly cniPath: readonly string[];
  /** Runs one plugin. */
  readonly ask: (run: PluginRun) => Promise<PluginOutcome>;
}

/** Tells what a restart would do to an attachment. It asks the plugins of the current list, in order, as libcni does. */
export async function verdictOn(attachment: CachedAttachment, circumstances: Circumstances): Promise<Verdict> {
  const { network, isLive, cniPath, ask } = circumstances;
  if (!isLive) return { is: "gone" };
  if (!network) return { is: "fails", error: `no list in the directories defines the network ${attachment.network}` };
  const { value, cniVersion = "0.1.0" } = network.list;
  // libcni, CheckNetworkList: the version comes first.
  if (/^0\.[1-3]\./.test(cniVersion))
    return { is: "fails", error: `configuration version "${cniVersion}" does not support the CHECK command` };
  if (value.disableCheck === true) return { is: "unchecked", why: "the list has disableCheck" };
  for (const [position, run] of checkRuns(network.list, attachment, cniPath).entries()) {
    const outcome = await ask(run);
    if (!outcome.passed) return { is: "fails", plugin: run.type, position, error: outcome.error };
  }
  return { is: "passes" };
}

/** Returns the runs of a list's plugins on CHECK, as libcni makes them. */
export function checkRuns(list: List, cached: CachedAttachment, cniPath: readonly string[]): readonly PluginRun[] {
  const attachment = attachmentOf(cached, cniPath.join(":"));
  const prevResult = cached.result && inVersion(cached.result, list.cniVersion ?? "0.1.0");
  const silent = { ...list, plugins: list.plugins.map(withoutLog) };
  return callOrder(list, "CHECK").map((index) => {
    return { type: list.plugins[index]?.type ?? "", ...callOf(silent, index, "CHECK", attachment, prevResult) };
  });
}

// The wrappers' log counts the runtime's calls. A forecast must not add lines to it.
function withoutLog(plugin: ListedPlugin): ListedPlugin {
  const { wrapper } = plugin.configuration;
  if (!isJsonObject(wrapper)) return plugin;
  const { log: _, ...rest } = wrapper;
  return { ...plugin, configuration: { ...plugin.configuration, wrapper: rest } };
}
