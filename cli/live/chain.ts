import { isJsonObject } from "../../shared/protocol/json.ts";
import type { ConfiguredVerb } from "../../shared/protocol/request.ts";
import type { CniResult } from "../../shared/protocol/result.ts";
import type { List, ListedPlugin } from "../lists/list.ts";
import { type AttachmentParameters, callsOf, inVersion } from "./libcni.ts";
import { runPlugin } from "./run-plugin.ts";

/** How a verb of a list ends: at its first plugin that fails. */
export type ChainOutcome =
  | { readonly passed: true; readonly result?: CniResult }
  | { readonly passed: false; readonly plugin: string; readonly position: number; readonly error: string };

/** One verb of a list. */
export interface Chain {
  readonly list: List;
  readonly verb: ConfiguredVerb;
  readonly attachment: AttachmentParameters;
  /** The result of ADD, for the other verbs. */
  readonly result?: CniResult | undefined;
}

/** Runs a verb of a list with the host's plugins, in order, as libcni does. A plugin may take so many seconds. */
export async function runChain(chain: Chain, seconds: number): Promise<ChainOutcome> {
  const calls = callsIn(chain);
  let next = calls.next();
  while (!next.done) {
    const [{ type, index }, call] = next.value;
    const outcome = await runPlugin({ type, ...call }, seconds);
    // guard: no list passes with a plugin that fails
    if (!outcome.passed) return { passed: false, plugin: type, position: index, error: outcome.error };
    next = calls.next({ isPassed: true, output: outcome.output });
  }
  return { passed: true, ...(next.value && { result: next.value }) };
}

/** The calls of a chain, as libcni makes them. */
export function callsIn({ list, verb, attachment, result }: Chain): ReturnType<typeof callsOf> {
  const silent = { ...list, plugins: list.plugins.map(withoutLog) };
  return callsOf(silent, verb, attachment, result && inVersion(result, list.cniVersion ?? "0.1.0"));
}

// The wrappers' log counts the runtime's calls. A forecast must not add lines to it.
function withoutLog(plugin: ListedPlugin): ListedPlugin {
  const { wrapper } = plugin.configuration;
  if (!isJsonObject(wrapper)) return plugin;
  const { log: _, ...rest } = wrapper;
  return { ...plugin, configuration: { ...plugin.configuration, wrapper: rest } };
}
