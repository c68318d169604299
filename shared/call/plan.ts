import type { Attachment, AttachmentSelector } from "../attachment/attachments.ts";
import type { Entry, Journal } from "../journal/journal.ts";
import type { CniResult } from "../protocol/result.ts";
import type { DelegateCall, PlainCall } from "./delegate-call.ts";

/** The decision about a call with a plugin configuration, as plain data: `run` acts on it, `explain` prints it. */
export type Plan =
  /** The delegate answers the runtime. The wrapper does not change its answer. */
  | HandOver
  | CheckTwice
  /** The wrapper runs the delegate and splices its answer. */
  | AddPlan
  /** The wrapper undoes entries of the attachment's journal. */
  | UndoPlan
  /** The wrapper runs the DELs of an attachment that has no entry. */
  | RemovePlan
  /** The wrapper undoes whole journals, then the delegate answers. */
  | CollectPlan;

/** The plan for a call that the delegate answers. */
export interface HandOver {
  readonly do: "handOver";
  readonly call: DelegateCall | PlainCall;
  /** The answer if the delegate is missing: another error than that it is missing, or the wrapper's own versions. */
  readonly withoutDelegate?: "unavailable" | "ownVersions" | undefined;
  readonly leftOut?: readonly LeftOut[];
}

/** What a wrapper leaves out of the prevResult of a CHECK. */
export type LeftOut = "MAC" | "joined routes" | "moved routes" | "routers' addresses" | "routes of other tables";

/** The CHECK of an interface without an entry. If it fails, it runs once more, and that answer counts. */
export interface CheckTwice {
  readonly do: "checkTwice";
  readonly call: DelegateCall;
  /** The network of the second run, if it is another one. */
  readonly network: string | undefined;
  readonly netns: string;
  readonly leftOut: readonly LeftOut[];
}

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
  readonly do: "add";
  readonly call: DelegateCall;
  readonly splice: Splice;
}

/** The entries that a DEL undoes, from the end. */
export interface UndoPlan {
  readonly do: "undo";
  readonly entries: readonly Entry[];
  /** The entry whose DEL the runtime called for; undefined if it is undone already. */
  readonly own: Entry | undefined;
}

/** The DELs without an entry. Each has the entry that a wrapper would have written. */
export interface RemovePlan {
  readonly do: "remove";
  readonly removals: readonly { readonly call: DelegateCall; readonly as: Entry }[];
  /** Entries that are given up. */
  readonly entries: readonly Entry[];
}

/** The journals that a GC undoes. */
export interface CollectPlan {
  readonly do: "collect";
  readonly journals: readonly Journal[];
  readonly then: HandOver;
}
