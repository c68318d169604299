import type { AttachmentRecord } from "../record/record.ts";
import type { Profiles } from "./profile.ts";
import { profileOf, type Target } from "./target.ts";

/** Returns the target for the interface of a record. The record counts, even if the list has changed. */
export function recordedTarget(configured: Target, record: AttachmentRecord, profiles: Profiles): Target {
  const { delegate, ifName, delegateNetwork } = record;
  return {
    delegate,
    profile: profileOf(delegate, profiles),
    role: "creator",
    selector: { ...configured.selector, ifName },
    renamed: ifName !== configured.selector.runtimeIfName,
    network: delegateNetwork,
  };
}
