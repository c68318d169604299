import { withInterfaces } from "../attachment/added.ts";
import type { DelegateCall } from "../call/delegate-call.ts";
import { type Session, warn } from "../call/session.ts";
import type { Facts } from "../journal/facts.ts";
import { containerDirectory, type Entry, isStanding, type Journal, type Line } from "../journal/journal.ts";
import { leaseDirectory } from "../journal/lease.ts";
import { linesText } from "../journal/lines.ts";
import { type Around, masquerades, type Removal, removalOf } from "../journal/sharing.ts";
import { profileOf, scopeOf } from "../plugin/profile.ts";
import { toCniError } from "../protocol/errors.ts";
import { goLookup, isJsonObject, type JsonObject, withGoKey } from "../protocol/json.ts";
import { findDelegate } from "./find-delegate.ts";
import { giveAddressesBack, inLentNamespace } from "./lent-namespace.ts";
import { missingDelegate } from "./missing-delegate.ts";
import { type Finished, failureWords, noteDelegate, runDelegate } from "./run-delegate.ts";
import { withoutAddressesOfOthers } from "./taken-addresses.ts";

/** A journal whose entries are undone, and where. */
export interface Undoing {
  readonly session: Session;
  readonly facts: Facts;
  readonly journal: Journal;
  /** CNI_NETNS of the call. No other namespace is touched. */
  readonly netns: string;
  /** What the list has now for one of the entries. Its DEL gets it if that of its ADD fails. */
  readonly listed?: { readonly entry: Entry; readonly configuration: JsonObject } | undefined;
}

/** The end of an undo. */
export type Outcome = { readonly end: "undone" | "later" } | { readonly end: "failed"; readonly why: string };

/** Gives entries up that still stand, and undoes all of them from the end. A failure is logged, and the others still run. */
export function undoEntries(undoing: Undoing, entries: readonly Entry[]): void {
  giveUp(undoing, entries);
  for (const entry of entries.toReversed()) tryToUndo(undoing, entry);
}

/** Writes that entries are given up, if they still stand. */
export function giveUp(undoing: Undoing, entries: readonly Entry[]): void {
  const ids = entries.filter(isStanding).map(({ id }) => id);
  if (ids.length > 0) append(undoing, [{ line: "given up", ids }]);
}

/** Undoes an entry. Never throws. */
export function tryToUndo(undoing: Undoing, entry: Entry): Outcome {
  try {
    const outcome = undoEntry(undoing, entry);
    if (outcome.end === "failed")
      warn(undoing.session, `${entry.type} of ${entry.ifName} stays given up: ${outcome.why}`);
    return outcome;
  } catch (thrown) {
    const why = toCniError(thrown).message;
    warn(undoing.session, `${entry.type} of ${entry.ifName} stays given up: ${why}`);
    return { end: "failed", why };
  }
}

function undoEntry(undoing: Undoing, entry: Entry): Outcome {
  const removal = planRemoval(undoing, entry);
  if (removal.do === "later") return { end: "later" };
  if (removal.do === "nothing") {
    warn(undoing.session, `DEL of ${entry.type} for ${entry.ifName} is skipped: ${removal.why}`);
  } else {
    const del = delOfEntry(undoing, entry, removal);
    const first = runRemoval(undoing, entry, { call: del, removal });
    const again = first.exitCode === 0 ? undefined : listedDel(undoing, entry, del);
    const answer = again ? runDel(undoing, entry, again) : first;
    if (answer.exitCode !== 0 && !isGoneAnyway(undoing, entry)) return { end: "failed", why: failureWords(answer) };
    addAgain(undoing, removal.addAgain);
    if (removal.keepsMasquerading && !entry.failed) return { end: "later" };
  }
  append(undoing, [{ line: "undone", id: entry.id }]);
  return { end: "undone" };
}

function listedDel({ listed, session }: Undoing, { id, type }: Entry, del: DelegateCall): DelegateCall | undefined {
  if (listed?.entry.id !== id || listed.configuration.type !== type) return undefined;
  warn(session, "DEL failed with the configuration of ADD: running it once more with the list's");
  return { ...del, configuration: listed.configuration };
}

// host-device's DEL frees the leases, and then fails if the interface is missing.
function isGoneAnyway({ session, netns }: Undoing, { type, ifName }: Entry): boolean {
  const needsNamespace = profileOf(type, session.profiles)?.delNeedsNamespace === true;
  return needsNamespace && session.host.linkIndex(netns, ifName) === 0;
}

/**
 * Decides what the DEL of an entry may remove. Of an earlier boot, only leases are left, and what an unknown plugin keeps on
 * the disk.
 */
export function planRemoval(undoing: Undoing, entry: Entry): Removal {
  const isKnown = profileOf(entry.type, undoing.session.profiles) !== undefined;
  if (!isOfThisBoot(undoing, entry) && entry.role === "meta" && isKnown) {
    return { do: "nothing", why: "its rules are of an earlier boot" };
  }
  return removalOf(entry, around(undoing, entry));
}

function around(undoing: Undoing, entry: Entry): Around {
  const { session, facts, journal, netns } = undoing;
  const { bootId } = facts.moment() ?? {};
  const namespace = bootId === entry.bootId ? facts.namespace(netns) : undefined;
  return {
    namespace,
    bootId,
    siblings: [...facts.siblings(journal.key).flatMap(({ entries }) => entries), ...laterEntries(undoing, entry)],
    profile: profileOf(entry.type, session.profiles),
    link: () => session.host.linkIndex(netns, entry.ifName),
    results: () => facts.otherResults(journal.key, namespace),
  };
}

/** Entries that another call has begun meanwhile. All others after an entry are undone before it. */
function laterEntries({ facts, journal }: Undoing, { id }: Entry): readonly Entry[] {
  const { entries } = facts.journal(journal.key);
  return entries.slice(entries.findIndex((one) => one.id === id) + 1 || entries.length).filter(isStanding);
}

function isOfThisBoot({ facts }: Undoing, { bootId }: Entry): boolean {
  return facts.moment()?.bootId === bootId;
}

/** The DEL of an entry, with the configuration and the variables of its ADD. */
function delOfEntry(undoing: Undoing, entry: Entry, removal: Removal & { do: "DEL" }): DelegateCall {
  const { netns, journal } = undoing;
  const environment = {
    CNI_COMMAND: "DEL",
    CNI_CONTAINERID: journal.key.containerId,
    CNI_NETNS: removal.withNamespace || lacksInterface(undoing, entry) ? netns : "",
    CNI_IFNAME: entry.ifName,
    ...(entry.args === (undoing.session.host.env.CNI_ARGS ?? "") ? {} : { CNI_ARGS: entry.args }),
  };
  const configuration = withoutShared(withEverythingAdded(entry), removal);
  return { delegate: entry.type, environment, configuration: keepingOthers(undoing, entry, configuration) };
}

/** Whether a plugin that frees its leases only in a namespace gets this one: it has nothing there to remove. */
function lacksInterface({ session, netns, facts }: Undoing, { type, ifName }: Entry): boolean {
  if (!profileOf(type, session.profiles)?.delNeedsNamespace) return false;
  return facts.namespace(netns) !== undefined && session.host.linkIndex(netns, ifName) === 0;
}

/** The configuration, with the interfaces that the plugin added in prevResult. */
function withEverythingAdded({ configuration, done }: Entry): JsonObject {
  const { prevResult } = configuration;
  const added = done?.added ?? [];
  if (added.length === 0 || !isJsonObject(prevResult)) return configuration;
  return { ...configuration, prevResult: withInterfaces(prevResult, added) };
}

/** The configuration with which the DEL of a creator leaves what another attachment has, too: its lease, its masquerading. */
export function withoutShared(configuration: JsonObject, removal: Removal & { do: "DEL" }): JsonObject {
  const keepsLease = !removal.freesLease && isJsonObject(goLookup(configuration, "ipam"));
  const kept = keepsLease ? withGoKey(configuration, "ipam", { type: "static" }) : configuration;
  return removal.keepsMasquerading ? withGoKey(kept, "ipMasq", false) : kept;
}

/** The configuration without addresses that others have by now, if the plugin's rules name nothing else. */
export function keepingOthers(undoing: Undoing, entry: Entry, configuration: JsonObject): JsonObject {
  const { session, journal, facts } = undoing;
  const profile = profileOf(entry.type, session.profiles);
  const mayNameAddresses = entry.role === "meta" && (profile === undefined || scopeOf(profile) === "address");
  if (!mayNameAddresses) return configuration;
  const { kept, taken } = withoutAddressesOfOthers(facts, journal.key.containerId, configuration);
  if (taken.length > 0) {
    warn(session, `another container has ${taken.join(", ")} by now: DEL does not remove its rules`);
  }
  return kept;
}

/** Runs the DEL of an entry. It finds its masquerading rules even if the interface is gone, or has lost its addresses. */
export function runRemoval(
  undoing: Undoing,
  entry: Entry,
  { call, removal }: { call: DelegateCall; removal: Removal & { do: "DEL" } },
): Finished {
  const { session, netns } = undoing;
  if (!removesRules(undoing, entry, removal)) return runDel(undoing, entry, call);
  const lost = { ifName: entry.ifName, addresses: entry.done?.addresses ?? leasedTo(undoing, entry) };
  if (removal.withNamespace && session.host.linkIndex(netns, entry.ifName) !== 0) {
    giveAddressesBack(session.host, lost, netns);
    return runDel(undoing, entry, call);
  }
  return inLentNamespace(session.host, lost, (lent) => {
    const environment = lent === undefined ? call.environment : { ...call.environment, CNI_NETNS: lent };
    return runDel(undoing, entry, { ...call, environment });
  });
}

/** Whether the DEL of a plugin removes masquerading rules. They do not outlive a boot. */
function removesRules(undoing: Undoing, entry: Entry, removal: Removal & { do: "DEL" }): boolean {
  if (removal.keepsMasquerading || !isOfThisBoot(undoing, entry)) return false;
  return masquerades(entry, profileOf(entry.type, undoing.session.profiles));
}

/** The addresses of an ADD that was cut off. */
function leasedTo({ facts }: Undoing, { delegateNetwork, containerId, ifName }: Entry): readonly string[] {
  const leases = facts.leases(`${leaseDirectory}/${delegateNetwork}`);
  const own = leases.filter((lease) => lease.containerId === containerId && lease.ifName === ifName);
  return own.map(({ address }) => `${address}/${address.includes(":") ? 128 : 32}`);
}

/** Runs a DEL of an entry's plugin, even if it is no longer where the runtime looks. Code 100 if it is missing. */
export function runDel({ session }: Undoing, entry: Pick<Entry, "path">, call: DelegateCall): Finished {
  const { host } = session;
  noteDelegate(session, call);
  const path =
    findDelegate(host, call.delegate) ?? (host.inspect(entry.path) === "executable" ? entry.path : undefined);
  if (path === undefined) throw missingDelegate(host, call.delegate, "delegateNotFound");
  return runDelegate(session, { path, call });
}

/** Runs the ADDs again whose rules a DEL has removed as well. */
export function addAgain(undoing: Undoing, entries: readonly Entry[]): void {
  const { facts } = undoing;
  for (const { id, ...others } of entries) {
    // A DEL of that attachment may run at the same time.
    const entry = facts.journalAgain(others).entries.find((one) => one.id === id && isStanding(one));
    if (!entry || !facts.isThere(entry.namespace)) continue;
    const environment = {
      CNI_COMMAND: "ADD",
      CNI_CONTAINERID: entry.containerId,
      CNI_NETNS: entry.namespace.path,
      CNI_IFNAME: entry.ifName,
      CNI_ARGS: entry.args,
    };
    warn(undoing.session, `${entry.type} of ${entry.network} shares its rules: running its ADD again`);
    try {
      const call = { delegate: entry.type, environment, configuration: entry.configuration };
      runDel(undoing, entry, call);
      const isGivenUp = !facts.journalAgain(others).entries.some((one) => one.id === id && isStanding(one));
      if (isGivenUp) runDel(undoing, entry, { ...call, environment: { ...environment, CNI_COMMAND: "DEL" } });
    } catch (thrown) {
      warn(undoing.session, `its ADD failed: ${toCniError(thrown).message}`);
    }
  }
}

/**
 * Notes that an entry is undone whose DEL the runtime called for. Nothing is written if it is the last one: its journal is
 * removed.
 */
export function noteUndone(undoing: Undoing, { id }: Entry): void {
  const { facts, journal } = undoing;
  const lines: Line[] = [{ line: "undone", id }];
  const isLast = facts.journal(journal.key).entries.every((one) => one.isUndone || one.id === id);
  if (isLast) facts.wrote(journal.file, linesText(lines));
  else append(undoing, lines);
}

/** Appends lines to the journal, if there still is one. A failure is logged: what is undone once may be undone again. */
export function append({ session, facts, journal }: Undoing, lines: readonly Line[]): void {
  const { entries, isTorn } = facts.journal(journal.key);
  if (entries.length === 0) return;
  const text = `${isTorn ? "\n" : ""}${linesText(lines)}`;
  const problem = session.host.appendJournal(journal.file, text, { makesFile: false, isFlushed: false });
  facts.wrote(journal.file, text);
  // Another call may have undone everything meanwhile.
  if (problem !== undefined && problem !== "ENOENT") warn(session, `cannot write the journal: ${problem}`);
}

/** Removes a journal if every entry is undone. Returns whether something is left. */
export function removeIfUndone(undoing: Undoing): boolean {
  const { entries, isTorn } = undoing.facts.journal(undoing.journal.key);
  if (entries.some(({ isUndone }) => !isUndone)) return true;
  if (entries.length > 0 || isTorn) removeJournal(undoing);
  return false;
}

/** Removes a journal, and the directory of its container if that is empty. */
function removeJournal({ session, facts, journal }: Undoing): void {
  session.host.removeFile(journal.file);
  facts.wrote(journal.file, undefined);
  session.host.removeDirectory(containerDirectory(journal.key.containerId));
}

/** Undoes all that is left of a journal, and removes it if nothing stayed behind. Returns what failed. */
export function undoJournal(undoing: Undoing): readonly { readonly entry: Entry; readonly why: string }[] {
  const left = undoing.journal.entries.filter(({ isUndone }) => !isUndone);
  giveUp(undoing, left);
  const undone = left.toReversed().map((entry) => ({ entry, outcome: tryToUndo(undoing, entry) }));
  if (undone.every(({ outcome }) => outcome.end === "undone")) removeJournal(undoing);
  return undone.flatMap(({ entry, outcome }) => (outcome.end === "failed" ? { entry, why: outcome.why } : []));
}
