import { containerInterfaceNames } from "../attachment/attachments.ts";
import type { Request } from "../protocol/request.ts";
import type { CniResult } from "../protocol/result.ts";
import { recordFile } from "../record/record.ts";
import { recordKey } from "./record-key.ts";
import type { Target } from "./target.ts";

/** A container interface of prevResult, and the file of the record that a wrapper left if it made the interface. */
export interface ExpectedRecord {
  readonly ifName: string;
  readonly file: string;
}

/** The records that the wrappers before a creator left, one for each container interface. No loopback plugin is wrapped. */
export function expectedRecords(request: Request, target: Target, prevResult: CniResult): ExpectedRecord[] {
  const key = recordKey(request, target);
  const ifNames = new Set(containerInterfaceNames(prevResult).filter((name) => name !== "lo"));
  return [...ifNames].map((ifName) => ({ ifName, file: recordFile({ ...key, ifName }) }));
}
