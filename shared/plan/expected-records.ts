import { containerInterfaceNames } from "../attachment/attachments.ts";
import type { Request } from "../protocol/request.ts";
import type { CniResult } from "../protocol/result.ts";
import { recordFile } from "../record/record.ts";
import { recordKey } from "./record-key.ts";
import type { Target } from "./target.ts";

/** A container interface of prevResult, and the file of its record if a wrapper made it. */
export interface ExpectedRecord {
  readonly ifName: string;
  readonly file: string;
}

/**
 * Returns the records that the wrappers before a creator left, one for each container interface except `lo`. The loopback
 * plugin is never wrapped.
 */
export function expectedRecords(request: Request, target: Target, prevResult: CniResult): ExpectedRecord[] {
  const key = recordKey(request, target);
  const ifNames = new Set(containerInterfaceNames(prevResult).filter((name) => name !== "lo"));
  return [...ifNames].map((ifName) => ({ ifName, file: recordFile({ ...key, ifName }) }));
}
