import { withInterfaces } from "../attachment/added.ts";
import type { DelegateCall } from "../call/delegate-call.ts";
import { type Session, warn } from "../call/session.ts";
import type { Facts } from "../journal/facts.ts";
import {
  containerDirectory,
  type Entry,
  isSameNamespace,
  isStanding,
  type Journal,
  type Line,
} from "../journal/journal.ts";
import { linesText } from "../journal/lines.ts";
import { type Around, type Removal, removalOf } from "../journal/sharing.ts";
import { profileOf, scopeOf } from "../plugin/profile.ts";
import { toCniError } from "../protocol/errors.ts";
import { isJsonObject, type JsonObject } from "../protocol/json.ts";
import { findDelegate } from "./find-delegate.ts";
import { inLentNamespace } from "./lent-namespace.ts";
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

/** Decides what the DEL of an entry may remove. Of an earlier boot, only leases are left. */
export function planRemoval(undoing: Undoing, entry: Entry): Removal {
  if (!isOfThisBoot(undoing, entry) && entry.role === "meta") {
    return { do: "nothing", why: "its rules are of an earlier boot" };
  }
  return removalOf(entry, around(undoing, entry));
}

function around({ session, facts, journal, netns }: Undoing, entry: Entry): Around {
  const namespace = facts.moment()?.bootId === entry.bootId ? facts.namespace(netns) : undefined;
  return {
    namespace,
    siblings: facts.siblings(journal.key).flatMap(({ entries }) => entries),
    profile: profileOf(entry.type, session.profiles),
    link: () => session.host.linkIndex(netns, entry.ifName),
    results: () => facts.otherResults(journal.key, namespace),
  };
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
  const configuration = leaseKept(withEverythingAdded(entry), removal);
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

/** The configuration with which the DEL of a creator frees no lease, if that is another attachment's. */
export function leaseKept(configuration: JsonObject, { freesLease }: Removal & { do: "DEL" }): JsonObject {
  if (freesLease || !isJsonObject(configuration.ipam)) return configuration;
  return { ...configuration, ipam: { type: "static" } };
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

/** Runs the DEL of an entry. If its interface is gone, it gets one that leads the plugin to its masquerading rules. */
export function runRemoval(
  undoing: Undoing,
  entry: Entry,
  { call, removal }: { call: DelegateCall; removal: Removal & { do: "DEL" } },
): Finished {
  const { session } = undoing;
  const addresses = entry.done?.addresses ?? [];
  if (!leavesRules(undoing, entry, removal.withNamespace)) return runDel(undoing, entry, call);
  return inLentNamespace(session.host, { ifName: entry.ifName, addresses }, (netns) => {
    const environment = netns === undefined ? call.environment : { ...call.environment, CNI_NETNS: netns };
    return runDel(undoing, entry, { ...call, environment });
  });
}

/** Whether the DEL of a plugin would leave masquerading rules, because the interface is gone. They do not outlive a boot. */
function leavesRules(undoing: Undoing, entry: Entry, withNamespace: boolean): boolean {
  const { session, facts, journal, netns } = undoing;
  const masquerades = profileOf(entry.type, session.profiles)?.masquerades && entry.configuration.ipMasq === true;
  if (!masquerades || !entry.done?.addresses.length || !isOfThisBoot(undoing, entry)) return false;
  if (withNamespace && session.host.linkIndex(netns, entry.ifName) !== 0) return false;
  // Interfaces in one network share a chain.
  const siblings = facts.siblings(journal.key).flatMap(({ entries }) => entries.filter(isStanding));
  return !siblings.some(({ delegateNetwork }) => delegateNetwork === entry.delegateNetwork);
}

/** Runs a DEL of an entry's plugin, even if it is no longer where the runtime looks. Code 100 if it is missing. */
export function runDel({ session }: Undoing, entry: Pick<Entry, "path">, call: DelegateCall): Finished {
  const { host } = session;
  noteDelegate(session, call);
  const known = host.inspect(entry.path) === "executable" ? entry.path : undefined;
  const path = findDelegate(host, call.delegate) ?? known;
  if (path === undefined) throw missingDelegate(host, call.delegate, "delegateNotFound");
  return runDelegate(session, { path, call });
}

/** Runs the ADDs again whose rules a DEL has removed as well. */
export function addAgain(undoing: Undoing, entries: readonly Entry[]): void {
  for (const entry of entries) {
    if (!isSameNamespace(entry.namespace, undoing.facts.namespace(undoing.netns))) continue;
    const environment = {
      CNI_COMMAND: "ADD",
      CNI_CONTAINERID: entry.containerId,
      CNI_NETNS: undoing.netns,
      CNI_IFNAME: entry.ifName,
      CNI_ARGS: entry.args,
    };
    warn(undoing.session, `${entry.type} of ${entry.network} shares its rules: running its ADD again`);
    try {
      const call = { delegate: entry.type, environment, configuration: entry.configuration };
      runDel(undoing, entry, call);
    } catch (thrown) {
      warn(undoing.session, `its ADD failed: ${toCniError(thrown).message}`);
    }
  }
}

/** Appends lines to the journal, if there still is one. A failure is logged: what is undone once may be undone again. */
export function append({ session, facts, journal }: Undoing, lines: readonly Line[]): void {
  if (facts.journal(journal.key).entries.length === 0) return;
  const text = linesText(lines);
  const problem = session.host.appendJournal(journal.file, text, false);
  facts.wrote(journal.file, text);
  if (problem !== undefined) warn(session, `cannot write the journal: ${problem}`);
}

/** Removes a journal if every entry is undone. Returns whether something is left. */
export function removeIfUndone(undoing: Undoing): boolean {
  const { entries } = undoing.facts.journal(undoing.journal.key);
  if (entries.some(({ isUndone }) => !isUndone)) return true;
  if (entries.length > 0) removeJournal(undoing);
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
