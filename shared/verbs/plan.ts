import type { Attachment, AttachmentSelector } from "../attachment/attachments.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { CniResult } from "../protocol/result.ts";
import type { MetaRecoveryPlan, RecoveryPlan, RoutingPlan } from "../record/record.ts";
import type { DelegateCall } from "./call.ts";
import type { ExpectedRecord } from "./expected-records.ts";
import type { DeviceMac } from "./shared-device.ts";

/** The decision about a call, as plain data: `run` acts on it. */
export type Plan =
  /** The delegate answers the runtime. The wrapper does not change its answer. */
  | {
      readonly do: "handOver";
      readonly call: DelegateCall;
      /** The answer if the delegate is missing: an error of the catalogue, or the wrapper's own versions. */
      readonly withoutDelegate: "delegateNotFound" | "unavailable" | "ownVersions";
      /** Runs if `call` fails; then its answer counts. */
      readonly fallback?: DelegateCall;
      /** Acted on in this order, before the delegate runs. */
      readonly effects: readonly Effect[];
    }
  /** The wrapper runs the delegate's DEL, more than once if the list has changed, and deletes its records. */
  | { readonly do: "remove"; readonly removals: readonly Removal[] }
  /** The wrapper runs the delegate and splices its answer. */
  | ({ readonly do: "splice" } & AddPlan)
  /** The wrapper answers VERSION itself. */
  | { readonly do: "printVersions" }
  /** The runtime gets an error, and nothing runs. */
  | { readonly do: "fail"; readonly error: JsonObject };

/** The plan for a call that the delegate answers. */
export type HandOver = Plan & { readonly do: "handOver" };

/** A step before a call is handed over. It may change the call. */
export type Effect =
  /** Log a fault that does not fail the call. */
  | { readonly do: "warn"; readonly message: string }
  /** Let `wrapper.jq` rewrite the configuration. */
  | { readonly do: "applyFilter" }
  /** On GC: remove what belongs to attachments that are no longer valid. */
  | { readonly do: "collectGarbage"; readonly garbage: GcRemovals }
  /** On CHECK: compare the MAC of a device only if it is fixed. */
  | { readonly do: "compareFixedMac"; readonly mac: DeviceMac }
  /** On CHECK: look for moved routes where they are now. */
  | { readonly do: "followMovedRoutes"; readonly routing: RoutingPlan };

/** How the delegate's answer to ADD becomes the runtime's. */
export type Splice =
  /** Unchanged, except for the order of its interfaces. */
  | { readonly as: "only" }
  /** The first of a chain, renamed: completed and put in order. */
  | { readonly as: "first"; readonly selector: AttachmentSelector }
  /** Appended to prevResult. */
  | { readonly as: "creator"; readonly selector: AttachmentSelector; readonly prevResult: CniResult }
  /** Replaces its attachment in prevResult. */
  | {
      readonly as: "meta";
      readonly selector: AttachmentSelector;
      readonly prevResult: CniResult;
      readonly attachment: Attachment;
    };

/** The delegate's call for ADD, and what to do with its answer. */
export interface AddPlan {
  readonly call: DelegateCall;
  readonly splice: Splice;
  /** How to record ADD and recover from its failure. Creators only. */
  readonly recovery?: RecoveryPlan;
  /** How to undo an earlier try before ADD. Meta plugins only. */
  readonly metaRecovery?: MetaRecoveryPlan;
  /** Set for a plugin that moves routes. */
  readonly routing?: RoutingPlan;
  /** The records that the creators before this one left, if all of them are wrapped. */
  readonly expectedRecords?: readonly ExpectedRecord[];
}

/** One run of the delegate's DEL. */
export interface Removal {
  /** Undefined if there is nothing to run. */
  readonly call: DelegateCall | undefined;
  /**
   * Whether a failed DEL is run once more. In one network, the creators of a list share a masquerading chain. The first DEL
   * cannot remove it while another interface's rule points to it, and fails after everything else is gone.
   */
  readonly again: boolean;
  /** Files of the records to delete after DEL has passed. */
  readonly forget: readonly string[];
  /** Faults that do not fail DEL. */
  readonly notes: readonly string[];
  /** Runs instead if the delegate of `call` is missing. */
  readonly otherwise?: Removal;
}

/** The cleanup of a GC, from the records of a network's attachments that are no longer valid. */
export interface GcRemovals {
  /** The DELs for what this delegate made. They run without a namespace, because it is gone. */
  readonly removals: readonly Removal[];
  /** The other files of these attachments. */
  readonly forget: readonly string[];
}
