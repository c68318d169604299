import type { Call } from "../call/call.ts";
import type { DelegateCall } from "../call/delegate-call.ts";
import type { AddPlan } from "../call/plan.ts";
import { say, warn } from "../call/session.ts";
import { type Finished, locateDelegate, prepareCall, printAnswer, runDelegate } from "../delegate/run-delegate.ts";
import { addressesOfRules, tryToUndo, undoEntries } from "../delegate/undo.ts";
import { append, awaitNext, removeIfUndone, stampOf, type Undoing } from "../delegate/undoing.ts";
import type { Appending } from "../host/host.ts";
import { cachedResultFile } from "../journal/host-files.ts";
import {
  containerDirectory,
  type Done,
  type Entry,
  isSameNamespace,
  isStanding,
  type Line,
  type Namespace,
  namespaceOf,
  nowhere,
} from "../journal/journal.ts";
import { beganLine, linesText } from "../journal/lines.ts";
import { recoveryOf, repairs } from "../journal/recovery-table.ts";
import { readRouting } from "../journal/routing.ts";
import { hasFixedMac, sharedDeviceName } from "../plugin/profile.ts";
import { CniError, toCniError } from "../protocol/errors.ts";
import { byteLength } from "../protocol/names.ts";
import {
  type Adding,
  earlierInterfaces,
  entryOf,
  lentTo,
  type Remembering,
  refusalOf,
  warnOfUnwrapped,
} from "./add.ts";
import { awaitRouterAddresses } from "./slaac.ts";
import { type SplicedAnswer, spliceAnswer } from "./spliced-answer.ts";

/**
 * Undoes what an earlier try left, runs the delegate's ADD and gives the runtime its spliced answer. Returns the exit code.
 * If the delegate succeeds and the wrapper then fails, the delegate's DEL runs before the error is thrown.
 */
export function runAdd(call: Call, plan: AddPlan): number {
  const { session } = call;
  const path = locateDelegate(session, plan.call);
  const delegateCall = prepareCall(session, plan.call);
  const adding: Adding = { call, plan, path, delegateCall, memory: memoryOf(call, delegateCall) };
  return adding.memory ? addAndRemember(adding, adding.memory) : addOnly(adding);
}

function memoryOf(call: Call, planned: DelegateCall): Remembering | undefined {
  const { session, facts, journal, own, request, target } = call;
  const { netns } = request.variables;
  if (journal.problem !== undefined) {
    warn(session, "ADD undoes nothing, and remembers nothing of this attachment");
    return undefined;
  }
  const moment = facts.moment();
  if (moment === undefined) {
    warn(session, "nothing is remembered: cannot read the boot id");
    return undefined;
  }
  // firewall's and portmap's ADD pass without the namespace.
  const namespace = facts.namespace(netns) ?? nowhere(netns);
  const earlier = earlierInterfaces(call);
  const resultMs = session.host.stat(cachedResultFile(call.key))?.modifiedMs;
  const mode = request.wrapper.recover;
  const isThere = (other: Namespace) => facts.isThere(other);
  const recovery = recoveryOf(journal, { own, earlier }, { ...moment, namespace, mode, resultMs, isThere });
  const listed = own && { entry: own, configuration: planned.configuration };
  const undoing = { session, facts, journal, netns, listed };
  const device = sharedDeviceName(target.profile, request.configuration);
  // Of containers that are attached to a new bridge at once, each plugin may set the MAC, after another one has printed it.
  const isMacFixed = device !== undefined && hasFixedMac(session.host, device);
  return { moment, namespace, resultMs, recovery, undoing, isMacFixed };
}

function addOnly(adding: Adding): number {
  const { call, path, delegateCall } = adding;
  const { session, target } = call;
  const { splice } = adding.plan;
  const refusal = refusalOf(adding);
  if (refusal) throw refusal;
  const answer = runDelegate(session, { path, call: delegateCall });
  if (answer.exitCode !== 0) return printAnswer(answer);
  try {
    return answered(adding, answer, withRouters(adding, answer, spliceAnswer(target, splice, answer)));
  } catch (thrown) {
    const del = { ...delegateCall, environment: { ...delegateCall.environment, CNI_COMMAND: "DEL" } };
    runDelegate(session, { path, call: del });
    throw thrown;
  }
}

function addAndRemember(adding: Adding, { recovery, undoing, ...memory }: Remembering): number {
  const { call } = adding;
  let journal = call.journal;
  if (recovery.do === "undo, then add") {
    warn(call.session, repairs[recovery.because]);
    undoEntries(undoing, recovery.entries);
    journal = call.facts.journal(call.key);
  }
  const isStray = recovery.do === "add, then write";
  const lent = isStray ? undefined : lentTo(adding, journal, memory.moment);
  const made = entryOf(adding, memory, { asked: lent?.addresses, order: 1 });
  const entry: Entry = isStray ? { ...made, stray: true } : made;
  const attempt = begin({ adding, undoing, entry, delegateCall: lent?.call ?? adding.delegateCall }, journal.isTorn);
  const answer = run(attempt);
  if (answer.exitCode === 0) return complete(attempt, answer);
  if (!rememberFailure(attempt) || !lent?.othersWillDo) return printAnswer(answer);
  warn(call.session, "ADD failed with the addresses that the attachment had: trying again with others");
  const tried = call.facts.journal(call.key).entries.filter(({ id }) => id === entry.id);
  undoEntries(undoing, tried);
  const later = entryOf(adding, memory, { asked: undefined, order: 2 });
  const second = begin({ ...attempt, entry: later, delegateCall: adding.delegateCall }, false);
  const other = run(second);
  if (other.exitCode === 0) return complete(second, other);
  rememberFailure(second);
  return printAnswer(other);
}

/** One entry, and the delegate's call for it. */
interface Attempt {
  readonly adding: Adding;
  readonly undoing: Undoing;
  readonly entry: Entry;
  /** The journal's file after that: see `stampOf`. */
  readonly written?: string | undefined;
  readonly delegateCall: DelegateCall;
}

/** Writes that an ADD begins. Code 5 if that fails: nobody could undo it. Code 7 if ADD would free a lease of others. */
function begin(attempt: Attempt, isTorn: boolean): Attempt {
  const { adding, undoing, entry } = attempt;
  const lines: Line[] = entry.stray ? [beganLine(entry), { line: "given up", ids: [entry.id] }] : [beganLine(entry)];
  // A power loss takes rules along, but not leases.
  write(undoing, `${isTorn ? "\n" : ""}${linesText(lines)}`, { makesFile: true, isFlushed: entry.role === "creator" });
  const { session, facts, journal } = undoing;
  // Another call may have written to it already.
  const written = stampOf(session.host.stat(journal.file), byteLength(facts.read(journal.file) ?? ""));
  const begun = { ...attempt, written };
  const refusal = refusalOf(adding, entry);
  if (refusal === undefined) return begun;
  rememberFailure(begun, false);
  throw refusal;
}

function write({ session, facts, journal }: Undoing, text: string, how: Appending): void {
  const { host } = session;
  const problem = host.appendJournal(journal.file, text, how);
  if (problem !== undefined) {
    // A full disk takes the name of a file, and none or some of its bytes.
    const { entries, problem: fault } = facts.journalAgain(journal.key);
    // guard: a journal that cannot be read
    const isEmpty = !facts.isUnreadable(journal.key) && entries.length === 0 && fault === undefined;
    if (isEmpty) host.removeFile(journal.file);
    host.removeDirectory(containerDirectory(journal.key.containerId));
    throw new CniError("unwritableJournal", "", `${journal.file}: ${problem}`);
  }
  facts.wrote(journal.file, text);
}

function run(attempt: Attempt): Finished {
  const { adding, delegateCall } = attempt;
  try {
    return runDelegate(adding.call.session, { path: adding.path, call: delegateCall });
  } catch (thrown) {
    const error = toCniError(thrown);
    // The delegate was cut off while it printed its answer, after its work was done.
    if (error.key === "invalidDelegateOutput") throw undo(attempt, error);
    rememberFailure(attempt);
    throw error;
  }
}

function complete(attempt: Attempt, answer: Finished): number {
  const { adding } = attempt;
  let addresses: readonly string[] = [];
  try {
    const first = spliceAnswer(adding.call.target, adding.plan.splice, answer);
    addresses = first.addresses;
    const spliced = withRouters(adding, answer, first);
    remember(attempt, spliced);
    warnOfUnwrapped(adding.call, attempt.entry);
    return answered(adding, answer, spliced);
  } catch (thrown) {
    throw undo(attempt, toCniError(thrown), addresses);
  }
}

/** Waits for the addresses that `wrapper.slaac` asks for. Returns the answer with them. */
function withRouters({ call, plan }: Adding, { stdout }: Finished, spliced: SplicedAnswer): SplicedAnswer {
  const { slaac } = call.request.wrapper;
  const found = slaac && call.target.role !== "meta" ? awaitRouterAddresses(call, slaac) : [];
  return found.length === 0 ? spliced : spliceAnswer(call.target, plan.splice, { stdout, found });
}

function answered({ call }: Adding, answer: Finished, { text }: SplicedAnswer): number {
  if (text === undefined) return printAnswer(answer);
  call.session.host.writeStdout(text);
  return 0;
}

/** Writes what ADD made. Code 108 if the entry was given up meanwhile: whoever did that does not know what was made since. */
function remember(attempt: Attempt, { addresses, added, routed }: SplicedAnswer): void {
  const { adding, undoing, entry } = attempt;
  const { call } = adding;
  if (isOvertaken(attempt)) throw new CniError("givenUp", entry.ifName);
  const done: Done = {
    made: linkOf(undoing, entry) || undefined,
    addresses,
    ...(added.length > 0 && { added }),
    ...(routed.length > 0 && { routed }),
    ...(call.target.profile?.movesRoutes && movedRoutes(call)),
    ...(adding.memory?.isMacFixed && { fixedMac: true }),
  };
  const lines: Line[] = [{ line: "done", id: entry.id, ...done }];
  if (!entry.stray) {
    write(undoing, linesText(lines), { makesFile: false, isFlushed: false });
    return;
  }
  const text = linesText([beganLine({ ...entry, stray: undefined }), ...lines, ...replaced(call, entry)]);
  write(undoing, text, { makesFile: true, isFlushed: entry.role === "creator" });
}

/** The attachment may have been in use. The new entry takes the place of the old one; another namespace still has that. */
function replaced({ own }: Call, { namespace }: Entry): Line[] {
  if (own === undefined || !isStanding(own)) return [];
  if (isSameNamespace(own.namespace, namespace)) return [{ line: "undone", id: own.id }];
  return [{ line: "given up", ids: [own.id] }];
}

/**
 * Writes that ADD failed, and which interface it left: a later one of that name is somebody else's. Returns false if nothing is
 * remembered: if the entry was given up meanwhile, what the plugin left is undone now.
 */
function rememberFailure(attempt: Attempt, hasRun = true): boolean {
  const { adding, undoing, entry } = attempt;
  if (isOvertaken(attempt)) {
    awaitNext(undoing, entry);
    tryToUndo(undoing, entry);
    removeIfUndone(undoing);
    return false;
  }
  const { id, stray, before } = entry;
  const left = linkOf(undoing, entry);
  // The interface was in its way: it has done nothing.
  const isInItsWay = stray && before && left === before && adding.call.target.profile !== undefined;
  const failed: Line = { line: "failed", id, left, addresses: addressesOfRules(undoing, entry, left) };
  append(undoing, [isInItsWay || !hasRun ? { line: "undone", id } : failed]);
  removeIfUndone(undoing);
  return true;
}

/** The index of an entry's interface, 0 for none; undefined if it cannot be read, or another namespace has the path by now. */
function linkOf({ session: { host } }: Undoing, { role, namespace, ifName }: Entry): number | undefined {
  if (role === "meta") return undefined;
  const index = host.linkIndex(namespace.path, ifName);
  return isSameNamespace(namespace, namespaceOf(namespace.path, host.stat(namespace.path))) ? index : undefined;
}

/** Whether another call has given the entry up. The file is read again only if somebody has written to it. */
function isOvertaken({ undoing: { session, facts, journal }, entry, written }: Attempt): boolean {
  const present = stampOf(session.host.stat(journal.file));
  if (present !== undefined && present === written) return false;
  const own = facts.journalAgain(journal.key).entries.find(({ id }) => id === entry.id);
  return own === undefined || own.isUndone || (own.isGivenUp && !own.stray);
}

function movedRoutes({ session, target }: Call): Pick<Done, "routing"> {
  const present = readRouting(session.host, target.selector.netns);
  if (present) return { routing: { routes: present.routes, rules: present.rules } };
  warn(
    session,
    "CHECK will not look for the moved routes: ADD cannot read them, are iproute2 (ip) and util-linux (nsenter) installed?",
  );
  return {};
}

/** Undoes what the delegate made, because the runtime will never learn of it. Returns the error for the runtime. */
function undo(attempt: Attempt, failure: CniError, addresses: readonly string[] = []): CniError {
  const { undoing, entry } = attempt;
  const { session } = undoing;
  const isLate = isOvertaken(attempt);
  if (isLate) awaitNext(undoing, entry);
  // guard: the interface and the journal of the next call
  const error = isLate ? new CniError("givenUp", entry.ifName) : failure;
  say(session, {
    level: "error",
    message: `${error.message}; running the delegate's DEL`,
    more: { details: error.details },
  });
  const made = isLate ? undefined : linkOf(undoing, entry) || undefined;
  // guard: an interface that the next ADD has made and not yet written down
  const isMadeAgain = isLate && entry.before !== undefined;
  const end = isMadeAgain ? { failed: { addresses } } : { done: { made, addresses } };
  const outcome = tryToUndo(undoing, { ...entry, ...end });
  removeIfUndone(undoing);
  if (outcome.end === "failed") error.details += ` The delegate's DEL failed as well: ${outcome.why}`;
  return error;
}
