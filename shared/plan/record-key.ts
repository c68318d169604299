import type { Request } from "../protocol/request.ts";
import type { RecordKey } from "../record/record.ts";
import type { Target } from "./target.ts";

/** Returns the key of the record of a request's attachment. */
export function recordKey({ configuration, variables }: Request, { selector }: Target): RecordKey {
  const { containerId } = variables;
  return { network: configuration.name, containerId, runtimeIfName: selector.runtimeIfName, ifName: selector.ifName };
}
