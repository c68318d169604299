import { isJsonObject } from "../../shared/protocol/json.ts";
import type { ConfiguredVerb } from "../../shared/protocol/request.ts";
import type { CniResult } from "../../shared/protocol/result.ts";
import type { List, ListedPlugin } from "../lists/list.ts";
import { type Attachment, callOf, callOrder, inVersion } from "./libcni.ts";
import { type PluginRun, runPlugin } from "./run-plugin.ts";

/** How a verb of a list ends: at its first plugin that fails. */
export type ChainOutcome =
  | { readonly passed: true; readonly result?: CniResult }
  | { readonly passed: false; readonly plugin: string; readonly position: number; readonly error: string };

/** One verb of a list. */
export interface Chain {
  readonly list: List;
  readonly verb: ConfiguredVerb;
  readonly attachment: Attachment;
  /** The result of ADD, for the other verbs. */
  readonly result?: CniResult | undefined;
}

/** Runs a verb of a list with the host's plugins, in order, as libcni does. A plugin may take so many seconds. */
export async function runChain(chain: Chain, seconds: number): Promise<ChainOutcome> {
  const { list, verb } = chain;
  let { result } = chain;
  for (const index of callOrder(list, verb)) {
    const run = runOf({ ...chain, result }, index);
    const outcome = await runPlugin(run, seconds);
    // guard: no list passes with a plugin that fails
    if (!outcome.passed) return { passed: false, plugin: run.type, position: index, error: outcome.error };
    if (verb === "ADD") result = outcome.output as CniResult | undefined;
  }
  return { passed: true, ...(result && { result }) };
}

/** Returns the run of one plugin of a list, as libcni makes it. */
export function runOf({ list, verb, attachment, result }: Chain, index: number): PluginRun {
  const prevResult = result && inVersion(result, list.cniVersion ?? "0.1.0");
  const silent = { ...list, plugins: list.plugins.map(withoutLog) };
  return { type: list.plugins[index]?.type ?? "", ...callOf(silent, index, verb, attachment, prevResult) };
}

// The wrappers' log counts the runtime's calls. A forecast must not add lines to it.
function withoutLog(plugin: ListedPlugin): ListedPlugin {
  const { wrapper } = plugin.configuration;
  if (!isJsonObject(wrapper)) return plugin;
  const { log: _, ...rest } = wrapper;
  return { ...plugin, configuration: { ...plugin.configuration, wrapper: rest } };
}
