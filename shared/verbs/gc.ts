import type { Call } from "../call/call.ts";
import { type DelegateCall, delegateCall } from "../call/delegate-call.ts";
import type { CollectPlan, HandOver } from "../call/plan.ts";
import { warn } from "../call/session.ts";
import { handOver, prepareCall } from "../delegate/run-delegate.ts";
import { undoJournal } from "../delegate/undo.ts";
import { type AttachmentKey, isStanding, type Journal } from "../journal/journal.ts";
import { type JsonObject, objectsOf } from "../protocol/json.ts";
import type { Request } from "../protocol/request.ts";
import { undoWaiting } from "./removal.ts";

// libcni sends both keys, because SPEC.md and the code had different names (containernetworking/cni#1101).
const attachmentKeys = ["cni.dev/valid-attachments", "cni.dev/attachments"] as const;

/**
 * Plans GC: the wrapper undoes the list's attachments that are neither valid nor live, then the delegate runs. An attachment
 * whose namespace still exists is left alone, because it may belong to another runtime.
 */
export function planGc(call: Call): CollectPlan | HandOver {
  const then: HandOver = { do: "handOver", call: prepareCall(call.session, gcCall(call)) };
  const valid = validAttachments(call.request);
  // guard: nothing is removed by a GC that does not say which attachments are valid
  if (valid === undefined) return then;
  const { facts, key } = call;
  // guard: the attachments of other networks
  const ofList = facts.journals().filter((one) => one.key.network === key.network && one.entries.length > 0);
  // guard: an attachment that is valid, or whose namespace is there
  const journals = ofList.filter((journal) => !valid.has(ownerKey(journal.key)) && !isLive(call, journal));
  return journals.length > 0 ? { do: "collect", journals, then } : then;
}

/** Undoes the journals, and hands the call over. Returns the exit code. */
export function runCollect({ session, facts }: Call, { journals, then }: CollectPlan): number {
  for (const journal of journals) {
    const { containerId, runtimeIfName } = journal.key;
    warn(session, `${containerId} is no longer valid and its namespace is gone: running DEL for ${runtimeIfName}`);
    const undoing = { session, facts, journal, netns: "" };
    undoJournal(undoing);
    undoWaiting(undoing);
  }
  return handOver(session, then);
}

/** Whether a namespace of a journal is still there. Without the boot id it may be. */
export function isLive({ facts }: Pick<Call, "facts">, { entries }: Journal): boolean {
  const moment = facts.moment();
  // guard: an attachment that may live, without the boot's id
  if (moment === undefined) return true;
  // guard: an attachment whose namespace is there
  return entries.some((entry) => !entry.isUndone && entry.bootId === moment.bootId && facts.isThere(entry.namespace));
}

/**
 * Returns the delegate's call for GC. A list of valid attachments has the runtime's interface names. The wrapper adds its
 * `ifName` for every container. Without it the delegate would free leases that are in use. No entry is removed.
 */
function gcCall(call: Call): DelegateCall {
  const made = delegateCall(call);
  const configuration: JsonObject = { ...made.configuration };
  for (const key of attachmentKeys) {
    const list = configuration[key];
    // guard: the leases of the wrapper's own interface names, of other plugins and of other lists
    if (Array.isArray(list)) configuration[key] = withOthers(withInterface(list, call.target.selector.ifName), call);
  }
  return { ...made, configuration };
}

/**
 * Adds what other lists, and other plugins of valid attachments, have in the delegate's network: its IPAM plugin knows a lease
 * by network, container and interface. The list may have given an interface another name since.
 */
function withOthers(list: readonly unknown[], { facts, key, request, target }: Call): unknown[] {
  const valid = validAttachments(request);
  const named = attachmentsIn(list);
  const entries = facts
    .journals()
    .filter((one) => one.key.network !== key.network || valid?.has(ownerKey(one.key)))
    .flatMap((one) => one.entries.filter(isStanding))
    .filter(({ delegateNetwork }) => delegateNetwork === target.network);
  const others = new Map(
    entries.map(({ containerId, ifName }) => [
      `${containerId}:${ifName}`,
      { containerID: containerId, ifname: ifName },
    ]),
  );
  // No attachment is named twice.
  for (const name of named) others.delete(name);
  return [...list, ...others.values()];
}

function ownerKey({ containerId, runtimeIfName }: AttachmentKey): string {
  return `${containerId}:${runtimeIfName}`;
}

/** The attachments that a GC lists as valid; undefined if the GC has no list. Go reads null as an empty list. */
function validAttachments({ configuration }: Request): ReadonlySet<string> | undefined {
  const list = attachmentKeys.map((key) => configuration[key]).find((value) => value === null || Array.isArray(value));
  return list === undefined ? undefined : attachmentsIn(list);
}

function attachmentsIn(list: unknown): ReadonlySet<string> {
  return new Set(
    objectsOf(list).flatMap(({ containerID, ifname }) =>
      typeof containerID === "string" && typeof ifname === "string" ? [`${containerID}:${ifname}`] : [],
    ),
  );
}

function withInterface(attachments: readonly unknown[], ifname: string): unknown[] {
  const known = objectsOf(attachments);
  const containers = new Set(known.map(({ containerID }) => containerID));
  // guard: no attachment is named twice
  for (const { containerID, ifname: listed } of known) if (listed === ifname) containers.delete(containerID);
  // guard: no attachment is named without an interface
  if (ifname === "") return [...attachments];
  return [...attachments, ...[...containers].map((containerID) => ({ containerID, ifname }))];
}
