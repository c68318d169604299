import type { AddedInterface } from "../attachment/added.ts";
import type { Request } from "../protocol/request.ts";
import { metaRecordFile, type Records } from "../record/record.ts";
import { instanceOf } from "./listed.ts";
import { recordKey } from "./record-key.ts";
import type { Target } from "./target.ts";

/**
 * Returns the container interfaces that the delegate's ADD added to its attachment. No plugin with a profile adds any. Most
 * lists are not edited between ADD and CHECK, so one file usually answers.
 */
export function addedBy(request: Request, target: Target, records: Records): readonly AddedInterface[] {
  if (target.profile || target.role === "creator") return [];
  const key = recordKey(request, target);
  const file = metaRecordFile(key, instanceOf(request, target));
  const files = records.has(file) ? [file] : records.ofMeta(key, target.delegate);
  return records.read(files).flatMap(({ added = [] }) => added);
}
