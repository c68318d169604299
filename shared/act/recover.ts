import type { Host } from "../host/host.ts";
import { type DelegateCall, delOf } from "../plan/call.ts";
import { addressesOf, askingFor } from "../plan/earlier-addresses.ts";
import { parseRecord } from "../record/parse-record.ts";
import {
  type AttachmentRecord,
  cachedResultFile,
  type Origin,
  type RecordKey,
  type RecoveryPlan,
  recordFile,
} from "../record/record.ts";
import {
  asksAgain,
  type Found,
  isCompleted,
  isTry,
  type Present,
  type RecoveryStep,
  recovery,
  writesBefore,
} from "../record/recovery.ts";
import { isClaimed, sharesLeases } from "./record-search.ts";
import { repairs } from "./repairs.ts";
import { type Finished, runDelegate } from "./run-delegate.ts";
import { type Session, say } from "./session.ts";
import { noteLaterAdd, readOrigin, writeRecord } from "./write-record.ts";

/** One creator's ADD: its call, the record that it found, and the present boot and namespace. */
interface Attempt {
  readonly session: Session;
  readonly path: string;
  readonly call: DelegateCall;
  readonly plan: RecoveryPlan;
  readonly found: Found;
  readonly present: Origin;
}

/** The part of a record that ADD finds out. */
type Outcome = Pick<AttachmentRecord, "addresses" | "outlived"> & {
  before: number | undefined;
  made?: number | undefined;
};

/**
 * Runs a creator's ADD and records what it made. If ADD fails because of what an earlier try of this attachment left, it runs
 * the delegate's DEL and ADD again; the second answer counts. Runtimes like Nomad run ADD again without a DEL in between.
 */
export function addWithRecovery(session: Session, path: string, call: DelegateCall, plan: RecoveryPlan): Finished {
  const present = readOrigin(session, plan.netns);
  if (present === undefined) return runDelegate(session, path, call);
  const found = findRecord(session.host, plan, present);
  const attempt = { session, path, call, plan, found, present };
  if (nextStep(attempt) !== "clean up, then add") return addOrRecover(attempt, isFirst(attempt));
  return addOrRecover({ ...attempt, found: cleanUp(attempt) }, true);
}

function addOrRecover(attempt: Attempt, writes: boolean): Finished {
  const before = linkIndex(attempt);
  const begins = writes || (before === 0 && isTry(attempt.found, attempt.present));
  if (begins) save(attempt, { before, ...earlierAddresses(attempt) });
  else noteLaterAdd(attempt.session, attempt.plan, attempt.present);
  const first = add(attempt, true);
  const link = linkIndex(attempt);
  if (first.exitCode === 0) return complete(attempt, before, link, first);
  if (nextStep(attempt, { before, link }) === "add again") return addAgain(attempt, link);
  // A failed ADD must not overwrite the record of an attachment that may be live.
  if (begins) save(attempt, { before, made: madeBy(before, link), ...earlierAddresses(attempt) });
  return first;
}

/** `own` is the index of the interface that an earlier try left, or 0. */
function addAgain(attempt: Attempt, own: number | undefined): Finished {
  const { session, path, call, found } = attempt;
  say(session, "warn", repairs.addedAgain);
  runDelegate(session, path, delOfRecord(call, found));
  const before = linkIndex(attempt);
  // If DEL failed, the interface is still there. The next try must know whose it is.
  const left = before === own ? before || undefined : undefined;
  save(attempt, { before, made: left, ...earlierAddresses(attempt) });
  const second = add(attempt, insistsOnAddresses(attempt));
  const link = linkIndex(attempt);
  if (second.exitCode === 0) return complete(attempt, before, link, second);
  save(attempt, { before, made: link === left ? left : madeBy(before, link), ...earlierAddresses(attempt) });
  return second;
}

/**
 * Whether the second ADD still asks for the earlier addresses. After a reboot nothing on the host refers to them, and an
 * edited list may have another subnet. In both cases another address is better than none.
 */
function insistsOnAddresses(attempt: Attempt): boolean {
  const { found, plan } = attempt;
  return !earlierAddresses(attempt).outlived && (found.record?.listed ?? plan.listed) === plan.listed;
}

/** Runs ADD. If `asks`, it requests the addresses that the attachment should keep. */
function add(attempt: Attempt, asks: boolean): Finished {
  const { session, path, call } = attempt;
  const args = call.environment.CNI_ARGS ?? session.host.env.CNI_ARGS ?? "";
  const asking = asks ? askingFor(call, earlierAddresses(attempt).addresses, args) : undefined;
  return runDelegate(session, path, asking ?? call);
}

function complete(attempt: Attempt, before: number | undefined, link: number | undefined, answer: Finished): Finished {
  const { ifName, runtimeIfName } = attempt.plan.key;
  const selector = { ifName, runtimeIfName, netns: attempt.plan.netns };
  const addresses = addressesOf(answer.stdout.decodeUtf8(), selector);
  // A creator that takes over an existing interface has made it, too. 0 would mean that ADD made nothing.
  save(attempt, { before, made: link || undefined, addresses });
  return answer;
}

function cleanUp(attempt: Attempt): Found {
  const { session, path, call, plan, found, present } = attempt;
  const { delegateNetwork = plan.delegateNetwork } = found.record ?? {};
  // A failed ADD leaves a record, too. The leases of that name may belong to another attachment.
  if (!sharesLeases(session.host, { ...plan.key, delegateNetwork })) {
    say(session, "warn", repairs.deletedFirst);
    const del = delOfRecord(call, found);
    // An interface that already exists belongs to another attachment.
    const netns = plan.earlierNetns !== "" && linkIndex(attempt) === 0 ? plan.earlierNetns : "";
    runDelegate(session, path, { ...del, environment: { ...del.environment, CNI_NETNS: netns } });
  }
  return { record: { ...present, addresses: found.record?.addresses ?? [], outlived: true } };
}

/** Returns the DEL for a record, in the network in which the attachment was made. The list may have changed. */
function delOfRecord(call: DelegateCall, { record }: Found): DelegateCall {
  const del = delOf(call);
  if (record?.delegate !== call.delegate) return del;
  return { ...del, configuration: { ...del.configuration, name: record.delegateNetwork } };
}

/** Decides the next step, before ADD or after an ADD that failed with these links. */
function nextStep({ session, plan, found, present }: Attempt, links?: Pick<Present, "before" | "link">): RecoveryStep {
  if (links === undefined) return recovery(found, present, false, plan.mode);
  return recovery(found, { ...present, ...links, claimed: isClaimed(session.host, plan) }, true, plan.mode);
}

function findRecord(host: Host, plan: RecoveryPlan, present: Origin): Found {
  const file = recordFile(plan.key);
  const text = host.readFile(file);
  if (text === undefined) return {};
  const known = parseRecord(file, text);
  // A power failure may leave an empty file. Then only the namespace can tell.
  if (known === undefined) return { record: { ...present, addresses: [] } };
  return { record: known, completed: isComplete(host, plan.key, file, known) };
}

function isFirst({ session, plan, found }: Attempt): boolean {
  return writesBefore(found, session.host.stat(cachedResultFile(plan.key)) !== undefined);
}

/** Whether the attachment of a record is complete, so that it may be live. */
export function isComplete(host: Host, key: RecordKey, file: string, record?: AttachmentRecord): boolean {
  const recorded = record?.later?.recordedMs ?? host.stat(file)?.modifiedMs ?? host.now();
  return isCompleted(recorded, host.stat(cachedResultFile(key))?.modifiedMs, host.now());
}

/** Returns the addresses that the next try asks for. */
function earlierAddresses({ found, present, plan }: Attempt): Pick<AttachmentRecord, "addresses" | "outlived"> {
  const record = asksAgain(found, present, plan.mode) ? found.record : undefined;
  return { addresses: record?.addresses ?? [], outlived: record?.outlived };
}

function madeBy(before: number | undefined, link: number | undefined): number | undefined {
  if (before === undefined) return undefined;
  return link === before ? 0 : link;
}

function linkIndex({ session, plan }: Attempt): number | undefined {
  return session.host.linkIndex(plan.netns, plan.key.ifName);
}

function save({ session, plan, present }: Attempt, outcome: Outcome): void {
  const { key, listed, netns, delegate, delegateNetwork } = plan;
  writeRecord(session, recordFile(key), { ...key, ...present, netns, delegate, delegateNetwork, listed, ...outcome });
}
