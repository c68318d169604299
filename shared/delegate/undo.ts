import type { DelegateCall } from "../call/delegate-call.ts";
import { warn } from "../call/session.ts";
import { Facts } from "../journal/facts.ts";
import { type Entry, type Failed, fromTheEnd, isStanding } from "../journal/journal.ts";
import { type Del, masquerades } from "../journal/sharing.ts";
import { profileOf } from "../plugin/profile.ts";
import { toCniError } from "../protocol/errors.ts";
import {
  freesTheSame,
  withEverythingAdded,
  withoutGateways,
  withoutShared,
  withoutTakenAddresses,
} from "./del-configuration.ts";
import { addressesOn, giveAddressesBack, inLentNamespace } from "./lent-namespace.ts";
import { type Finished, failureWords, freeLeases, runDel } from "./run-delegate.ts";
import { leasedTo } from "./taken-addresses.ts";
import {
  append,
  giveUp,
  hasGrown,
  lacksMaster,
  planRemoval,
  removeJournal,
  removesRules,
  type Undoing,
} from "./undoing.ts";

/** The end of an undo. */
export type UndoOutcome = { readonly end: "undone" | "later" } | { readonly end: "failed"; readonly why: string };

/** Gives entries up that still stand, and undoes all of them from the end. A failure is logged, and the others still run. */
export function undoEntries(undoing: Undoing, entries: readonly Entry[]): void {
  giveUp(undoing, entries);
  for (const [index, entry] of fromTheEnd(entries).entries()) {
    // A plugin's DEL takes a while, and other calls go on.
    if (index > 0) undoing.facts.forget(undoing.journal.key.containerId);
    tryToUndo(undoing, entry);
  }
}

/** Undoes an entry. Never throws. */
export function tryToUndo(undoing: Undoing, entry: Entry): UndoOutcome {
  let outcome: UndoOutcome;
  try {
    outcome = undoEntry(undoing, entry);
  } catch (thrown) {
    outcome = { end: "failed", why: toCniError(thrown).message };
  }
  if (outcome.end === "failed")
    warn(
      undoing.session,
      `cannot undo ${entry.type} of ${entry.ifName}, the next ADD or DEL tries again: ${outcome.why}`,
    );
  return outcome;
}

function undoEntry(undoing: Undoing, entry: Entry): UndoOutcome {
  const removal = planRemoval(undoing, entry);
  if (removal.do === "later") return { end: "later" };
  if (removal.do === "nothing") {
    warn(undoing.session, `DEL of ${entry.type} for ${entry.ifName} is skipped: ${removal.why}`);
  } else {
    const { answer, waits } = runDels(undoing, entry, { removal, ...delsOf(undoing, entry) });
    // guard: an entry whose DEL failed is not called undone
    if (answer.exitCode !== 0) return { end: "failed", why: failureWords(answer) };
    if (waits) return { end: "later" };
  }
  append(undoing, [{ line: "undone", id: entry.id }]);
  return { end: "undone" };
}

/** The DELs of an entry, by what they may remove: with the configuration of its ADD, and with that of the list. */
interface Dels {
  own(removal: Del): DelegateCall;
  /** Undefined if no plugin of the list is the entry's. */
  listed?(removal: Del): DelegateCall;
}

/** The end of an entry's DELs. */
interface Deleted {
  readonly answer: Finished;
  /** Something that a sibling shares stays behind. */
  readonly waits: boolean;
}

/** Runs the DEL of an entry. If it fails, it runs once more with the list's configuration, and then without gateways. */
export function runDels(undoing: Undoing, entry: Entry, dels: Dels & { readonly removal: Del }): Deleted {
  const { removal, own, listed } = dels;
  const answer = runRemoval(undoing, entry, { call: own(removal), removal });
  const first = { answer, waits: removal.waits };
  if (answer.exitCode === 0) return first;
  const again = listed && undoByList(undoing, entry, { own, listed });
  if (again?.answer.exitCode === 0) return again;
  return undoWithoutGateways(undoing, entry, own) ?? again ?? first;
}

/** What a second DEL may remove. By now the interface may be gone, or another one may have its name. */
function planAgain(undoing: Undoing, entry: Entry): Del | undefined {
  const { facts, journal } = undoing;
  facts.forget(journal.key.containerId, journal.key);
  const removal = planRemoval(undoing, entry);
  // guard: what another attachment holds by now
  return removal.do === "DEL" ? removal : undefined;
}

/** Runs the DEL once more without the gateways in the configuration of its ADD. */
function undoWithoutGateways(undoing: Undoing, entry: Entry, own: Dels["own"]): Deleted | undefined {
  // Nearly no entry has one.
  const removal = withoutGateways(entry.configuration) && planAgain(undoing, entry);
  if (removal === undefined) return undefined;
  const call = own(removal);
  const configuration = withoutGateways(call.configuration);
  if (configuration === undefined) return undefined;
  warn(undoing.session, "DEL failed with the configuration of ADD: running it once more without its gateways");
  return { answer: runRemoval(undoing, entry, { call: { ...call, configuration }, removal }), waits: removal.waits };
}

/** Runs the DEL once more with the list's configuration. */
function undoByList(undoing: Undoing, entry: Entry, { own, listed }: Required<Dels>): Deleted | undefined {
  const removal = planAgain(undoing, entry);
  if (removal === undefined) return undefined;
  const call = listed(removal);
  // guard: the leases of another network
  if (!freesTheSame(entry, own(removal).configuration, call.configuration)) return undefined;
  warn(undoing.session, "DEL failed with the configuration of ADD: running it once more with the list's");
  const answer = runRemoval(undoing, entry, { call, removal });
  return { answer: againBesideRules(undoing, entry, { call, answer }), waits: removal.waits };
}

/** Runs a DEL with masquerading once more if it failed: rules with other addresses may hold the chain. It goes with them. */
export function againBesideRules(
  undoing: Undoing,
  entry: Entry,
  { call, answer }: { readonly call: DelegateCall; readonly answer: Finished },
): Finished {
  if (answer.exitCode === 0 || !masquerades(entry, profileOf(entry.type, undoing.session.profiles))) return answer;
  return runDel(undoing, entry, call);
}

/** The DELs of an entry that no call is for. */
function delsOf(undoing: Undoing, entry: Entry): Dels {
  const { listed } = undoing;
  const own = (removal: Del) => delOfEntry(undoing, entry, removal);
  // guard: no other entry's configuration is used
  if (listed?.entry.id !== entry.id || listed.configuration.type !== entry.type) return { own };
  // The list may have given the interface another network since.
  const configuration = { ...listed.configuration, name: entry.delegateNetwork };
  return { own, listed: (removal) => ({ ...own(removal), configuration: withoutShared(configuration, removal) }) };
}

/** The DEL of an entry, with the configuration and the variables of its ADD. */
function delOfEntry(undoing: Undoing, entry: Entry, removal: Del): DelegateCall {
  const { netns, journal } = undoing;
  const environment = {
    CNI_COMMAND: "DEL",
    CNI_CONTAINERID: journal.key.containerId,
    // guard: an interface that is not the entry's
    CNI_NETNS: removal.withNamespace ? netns : "",
    CNI_IFNAME: entry.ifName,
    ...(entry.args === (undoing.session.host.env.CNI_ARGS ?? "") ? {} : { CNI_ARGS: entry.args }),
  };
  const configuration = withoutShared(withEverythingAdded(entry), removal);
  return { delegate: entry.type, environment, configuration: withoutTakenAddresses(undoing, entry, configuration) };
}

/** The DEL of an entry, and what it may remove. */
export interface PlannedDel {
  readonly call: DelegateCall;
  readonly removal: Del;
}

/** Runs the DEL of an entry, and the ADDs again whose rules it has removed as well, even if it failed after that. */
export function runRemoval(undoing: Undoing, entry: Entry, del: PlannedDel): Finished {
  try {
    return removeWithRules(undoing, entry, del);
  } finally {
    addAgain(undoing, sharersOf(undoing, entry, del.removal));
  }
}

/** Runs the DEL of an entry. It finds its masquerading rules even if the interface is gone, or has lost its addresses. */
function removeWithRules(undoing: Undoing, entry: Entry, { call, removal }: PlannedDel): Finished {
  const { session, netns } = undoing;
  const { delNeedsNamespace, delNeedsMaster } = profileOf(entry.type, session.profiles) ?? {};
  const isThere = () => removal.withNamespace && !isLost(undoing, entry);
  if (delNeedsNamespace && !isThere()) return freeLeases(session, call);
  if (!removesRules(undoing, entry, removal)) {
    const answer = runDel(undoing, entry, call);
    // Nearly every DEL passes, and Node needs two processes to look for an interface.
    const isStuck = delNeedsMaster && answer.exitCode !== 0 && !isThere() && lacksMaster(undoing, call, removal);
    return isStuck ? freeLeases(session, call) : answer;
  }
  const addresses = addressesOf(undoing, entry, removal);
  const lost = { ifName: entry.ifName, addresses };
  if (isThere()) {
    giveAddressesBack(session.host, lost, netns);
    // The DEL may be cut off after it has freed the leases.
    if (addresses.length > 0 && !entry.done)
      append(undoing, [{ line: "failed", id: entry.id, left: entry.failed?.left, addresses }]);
    return runDel(undoing, entry, call);
  }
  return inLentNamespace(session.host, lost, (lent) => {
    const environment = lent === undefined ? call.environment : { ...call.environment, CNI_NETNS: lent };
    return runDel(undoing, entry, { ...call, environment });
  });
}

/** The addresses of an entry. Leases do not count if another attachment shares them: they may be that one's alone. */
function addressesOf({ facts }: Undoing, entry: Entry, { freesLease }: Del): readonly string[] {
  return (entry.done ?? entry.failed)?.addresses ?? (freesLease ? leasedTo(facts, entry) : []);
}

/**
 * The addresses by which the masquerading rules of a failed ADD can be found, even after its lease is freed. None if the
 * interface is the one that was there before: a plugin makes its interface before it masquerades.
 */
export function addressesOfRules(undoing: Undoing, entry: Entry, left: Failed["left"]): Failed["addresses"] {
  if (!masquerades(entry, profileOf(entry.type, undoing.session.profiles))) return undefined;
  // guard: the masquerading of the interface that was in its way
  if (entry.before && left === entry.before) return [];
  // The plugin has changed the leases since they were read.
  const later = { ...undoing, facts: new Facts(undoing.session.host) };
  const removal = planRemoval(later, entry);
  if (removal.do !== "DEL") return undefined;
  const leased = addressesOf(later, entry, removal);
  // A plugin that fails frees its lease, and leaves its interface.
  return leased.length > 0 || !left ? leased : addressesOn(undoing.session.host, entry.ifName, entry.namespace.path);
}

/** Whether an interface is gone, or its namespace since the call began. */
function isLost({ session, netns }: Undoing, { ifName }: Entry): boolean {
  const link = session.host.linkIndex(netns, ifName);
  return link === 0 || session.host.stat(netns) === undefined;
}

/** Returns the entries whose rules the DEL of an entry has removed as well. ADDs of siblings may have passed meanwhile. */
function sharersOf(undoing: Undoing, entry: Entry, removal: Del): readonly Entry[] {
  const { session, facts, journal } = undoing;
  if (!profileOf(entry.type, session.profiles)?.repeatable) return removal.addAgain;
  facts.forget(journal.key.containerId, journal.key);
  const present = planRemoval(undoing, entry);
  return present.do === "DEL" ? present.addAgain : removal.addAgain;
}

/** Runs the ADDs again whose rules a DEL has removed as well. */
function addAgain(undoing: Undoing, entries: readonly Entry[]): void {
  const { facts } = undoing;
  for (const { id, ...others } of entries) {
    const standing = () =>
      // A DEL of that attachment may run at the same time.
      // guard: the rules of an attachment that is removed are not added again
      facts.journalAgain(others).entries.find((one) => one.id === id && isStanding(one));
    const entry = standing();
    if (!entry) continue;
    const environment = {
      CNI_COMMAND: "ADD",
      CNI_CONTAINERID: entry.containerId,
      CNI_NETNS: entry.namespace.path,
      CNI_IFNAME: entry.ifName,
      CNI_ARGS: entry.args,
    };
    warn(undoing.session, `${entry.type} of ${entry.network} shares the removed rules: running its ADD again`);
    const call = { delegate: entry.type, environment, configuration: entry.configuration };
    // Its rules are gone now, and nobody else will try again.
    if (!passes(undoing, entry, call) && !passes(undoing, entry, call)) continue;
    try {
      if (standing()) continue;
      runDel(undoing, entry, { ...call, environment: { ...environment, CNI_COMMAND: "DEL" } });
      // That has removed the others' rules once more.
      addAgain(undoing, entries);
    } catch (thrown) {
      warn(undoing.session, `its DEL failed: ${toCniError(thrown).message}`);
    }
  }
}

function passes(undoing: Undoing, entry: Entry, call: DelegateCall): boolean {
  try {
    return runDel(undoing, entry, call).exitCode === 0;
  } catch (thrown) {
    warn(undoing.session, `its ADD failed: ${toCniError(thrown).message}`);
    return false;
  }
}

/** Undoes all that is left of a journal, and removes it if nothing stayed behind. Returns what failed. */
export function undoJournal(undoing: Undoing): readonly { readonly entry: Entry; readonly why: string }[] {
  const { facts, journal } = undoing;
  const left = journal.entries.filter(({ isUndone }) => !isUndone);
  giveUp(undoing, left);
  const undone = fromTheEnd(left).map((entry, index) => {
    if (index > 0) facts.forget(journal.key.containerId);
    const { entries } = facts.journal(journal.key);
    // The attachment's own call may have undone it meanwhile.
    // guard: an entry is undone once
    const isLeft = facts.isUnreadable(journal.key) || entries.some(({ id, isUndone }) => id === entry.id && !isUndone);
    return { entry, outcome: isLeft ? tryToUndo(undoing, entry) : ({ end: "undone" } as const) };
  });
  // guard: a journal with an entry that is not undone
  if (undone.every(({ outcome }) => outcome.end === "undone") && !hasGrown(undoing, left)) removeJournal(undoing);
  return undone.flatMap(({ entry, outcome }) => (outcome.end === "failed" ? { entry, why: outcome.why } : []));
}
