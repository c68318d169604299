import type { JsonObject } from "../../shared/protocol/json.ts";
import type { Explanation, Step } from "./explain.ts";

/** Returns an explanation as plain data, for programs. */
export function explanationData({ list, verb, attachment, steps, result, notSent }: Explanation): JsonObject {
  return {
    file: list.file.path,
    network: list.name,
    verb,
    ...(notSent !== undefined && { notSent }),
    containerId: attachment.containerId,
    ifName: attachment.ifName,
    steps: steps.map(stepData),
    ...(result && { result }),
  };
}

function stepData({ plugin, given, plan, runs, answer, warnings }: Step): JsonObject {
  return {
    plugin: plugin.type,
    index: plugin.index,
    isWrapped: plugin.isWrapped,
    given,
    ...(plan && { plan }),
    runs,
    ...answer,
    warnings,
  };
}
