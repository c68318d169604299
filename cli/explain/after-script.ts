import type { JsonObject } from "../../shared/protocol/json.ts";
import type { CniResult } from "../../shared/protocol/result.ts";
import type { List } from "../lists/list.ts";
import { type AttachmentParameters, callOf } from "../live/libcni.ts";
import { exampleSource } from "./example-source.ts";
import { hasPassed, type Step, stepOf, stepsOf } from "./explain.ts";
import { type Failure, failureOf } from "./list-run.ts";
import { unknownOf } from "./model-answers.ts";

/**
 * Returns how CHECK of a plain list fails after a script ran its ADD: the script gives each interface plugin a name of its own,
 * and merges the results. Undefined if CHECK passes, if ADD fails even so, or if the list is not of plain plugins.
 */
export function checkAfterScript(list: List, attachment: AttachmentParameters): Failure | undefined {
  const { plugins } = list;
  const interfacePlugins = plugins.filter(({ role }) => role === "creator");
  const isPlain = plugins.every((plugin) => !plugin.isWrapped && unknownOf(plugin) === undefined);
  if (!isPlain || interfacePlugins.length < 2) return undefined;
  const source = exampleSource(attachment);
  let result: CniResult = {};
  for (const plugin of plugins) {
    const place = interfacePlugins.indexOf(plugin);
    const own = place < 0 ? attachment : { ...attachment, ifName: `eth${place}` };
    const call = callOf(list, plugin.index, "ADD", own, place < 0 ? result : undefined);
    const step = stepOf(plugin, call, source);
    if (!hasPassed(step)) return undefined;
    result = place < 0 ? outputOf(step) : merged(result, outputOf(step));
  }
  const failed = stepsOf(list, "CHECK", source, result).find((step) => !hasPassed(step));
  return failed && failureOf(failed);
}

function outputOf({ answer }: Step): CniResult {
  return (answer.output ?? {}) as JsonObject & CniResult;
}

/** Appends a result to another one. Its addresses keep their interfaces. */
function merged(one: CniResult, other: CniResult): CniResult {
  const before = one.interfaces?.length ?? 0;
  const moved = (other.ips ?? []).map((ip) => ({ ...ip, interface: (ip.interface ?? 0) + before }));
  return {
    ...other,
    interfaces: [...(one.interfaces ?? []), ...(other.interfaces ?? [])],
    ips: [...(one.ips ?? []), ...moved],
  };
}
