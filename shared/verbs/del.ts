import type { Call } from "../call/call.ts";
import { type DelegateCall, delegateCall } from "../call/delegate-call.ts";
import type { RemovePlan, UndoPlan } from "../call/plan.ts";
import { warn } from "../call/session.ts";
import { type Finished, prepareCall, printAnswer, runDel } from "../delegate/run-delegate.ts";
import { withAddressesOf } from "../delegate/taken-addresses.ts";
import { againBesideRules, runDels, tryToUndo } from "../delegate/undo.ts";
import { demandReadable, giveUp, noteUndone, planRemoval, type Undoing } from "../delegate/undoing.ts";
import { cachedResultFile } from "../journal/host-files.ts";
import { type Entry, fromTheEnd, isNowhere, isSameNamespace, type Journal, namesOf } from "../journal/journal.ts";
import type { Del, Removal } from "../journal/sharing.ts";
import { profileOf, scopeOf } from "../plugin/profile.ts";
import type { JsonObject } from "../protocol/json.ts";
import { removalsWithoutEntry } from "./del-without-entry.ts";
import { delCall, finish, prevResultFor, undoingOf } from "./removal.ts";

/** Plans DEL. A fault of the configuration or of prevResult must not fail it: an attachment must always be removable. */
export function planDel(call: Call): UndoPlan | RemovePlan {
  const { journal, own } = call;
  const left = journal.entries.filter(({ isUndone }) => !isUndone);
  const givenUp = left.filter(({ isGivenUp }) => isGivenUp);
  if (own === undefined) return { do: "remove", removals: removalsWithoutEntry(call), entries: givenUp };
  // The list was edited: it has no plugin for the entries after the call's own.
  const position = left.indexOf(own);
  // guard: the entries of plugins that come earlier in the list
  const isForOwn = (entry: Entry, index: number) => index >= position || isOfEarlierTry(entry, own);
  // With the list's first plugin, everything goes.
  const isUndone = own.isUndone && !own.first;
  const entries = isUndone ? givenUp : left.filter((entry, index) => entry.isGivenUp || isForOwn(entry, index));
  if (isAddedAgain(call, own)) return { do: "remove", removals: removalsWithoutEntry(call), entries };
  return { do: "undo", entries, own: own.isUndone ? undefined : own };
}

/** Whether an entry before the call's own is of an earlier try: the list was edited since, and no plugin has taken its place. */
function isOfEarlierTry({ bootId, namespace }: Entry, own: Entry): boolean {
  // guard: the entries of this try
  if (own.first === true || bootId !== own.bootId) return true;
  // guard: the entries of this try
  return !isNowhere(own.namespace) && !isSameNamespace(namespace, own.namespace);
}

/** Whether something has added the attachment again since a reboot or an undo, without an entry: a plain plugin, for example. */
function isAddedAgain(call: Call, { bootId, ifName, isUndone }: Entry): boolean {
  const moment = call.facts.moment();
  // guard: an entry of this boot is undone as it is
  if (moment === undefined || (bootId === moment.bootId && !isUndone)) return false;
  const link = call.session.host.linkIndex(call.request.variables.netns, ifName);
  // guard: what a wrapper has made in this boot
  return !!link && !isMadeBy([call.journal, ...call.facts.siblings(call.key)], call, { ifName, link });
}

/** Whether an attachment has made an interface of the call's namespace in this boot, or may be making it. */
function isMadeBy(
  journals: readonly Journal[],
  { facts, request }: Call,
  { ifName, link }: { ifName: string; link: number | undefined },
): boolean {
  const namespace = facts.namespace(request.variables.netns);
  const bootId = facts.moment()?.bootId;
  const isMaker = (one: Entry) => one.role === "creator" && !one.isUndone && one.bootId === bootId;
  const isIts = (one: Entry) =>
    // guard: an interface that an attachment has made, or may be making
    namesOf(one).includes(ifName) && (one.done?.made ?? one.failed?.left ?? link) === link;
  return journals.some(({ entries }) =>
    entries.some((one) => isMaker(one) && isIts(one) && isSameNamespace(one.namespace, namespace)),
  );
}

/**
 * Undoes the entries of a plan, from the end. The runtime gets the answer for the call's entry, or the failed answer for a stray
 * ADD's. Returns the exit code.
 */
export function runUndo(call: Call, { entries, own }: UndoPlan): number {
  const undoing = undoingOf(call);
  // A stray entry shares things with the call's own, and is undone before it.
  const isAnyStray = entries.some(({ stray }) => stray);
  const others = entries.filter((entry) => isAnyStray || entry !== own);
  giveUp(undoing, others);
  let answer: Finished | undefined;
  let failure: unknown;
  for (const entry of fromTheEnd(entries)) {
    if (entry !== own && !entry.stray) tryToUndo(undoing, entry);
    else
      try {
        const its = undoOwn(call, undoing, entry);
        if (!answer?.exitCode) answer = its;
      } catch (thrown) {
        failure = thrown;
      }
  }
  finish(call, undoing);
  if (failure !== undefined) throw failure;
  return answer ? printAnswer(answer) : 0;
}

/** Runs the DEL of the call's entry, with the runtime's prevResult. If it fails, runs it again with the list's configuration. */
function undoOwn(call: Call, undoing: Undoing, entry: Entry): Finished | undefined {
  const { session } = call;
  const removal = planOwn(undoing, entry);
  const stray = removal.withNamespace ? undefined : removeStray(call, undoing, entry);
  if (removal.do === "later") demandReadable(undoing);
  if (removal.do === "later" || (stray !== undefined && stray.exitCode !== 0)) return stray;
  if (removal.do === "nothing") {
    warn(session, `DEL of ${entry.type} for ${entry.ifName} is skipped: ${removal.why}`);
    noteUndone(undoing, entry);
    return undefined;
  }
  // A sibling's DEL may be about to run this plugin's ADD again, even one without a journal.
  if (profileOf(entry.type, session.profiles)?.repeatable) giveUp(undoing, [entry]);
  const { answer, waits } = runDels(undoing, entry, {
    removal,
    own: (present) => ownDel(call, entry, present),
    ...(isOfSamePlugin(call, entry) && { listed: (present) => listedDel(call, entry, present) }),
  });
  // guard: an entry whose DEL failed is not called undone
  if (answer.exitCode !== 0) return answer;
  // A sibling may have begun to share something with it since it was planned.
  if (waits) giveUp(undoing, [entry]);
  else noteUndone(undoing, entry);
  return answer;
}

/** Plans the removal of the call's entry. If a sibling shares something with it, gives the entry up first, and plans again. */
function planOwn(undoing: Undoing, entry: Entry): Removal {
  const removal = planRemoval(undoing, entry);
  if (removal.freesLease && !removal.keepsMasquerading) return removal;
  giveUp(undoing, [entry]);
  return planRemoval(undoing, entry);
}

/**
 * Removes an interface of the entry's name that is not the entry's: something added the attachment again without an entry.
 * That is an ADD that failed while the attachment might have been in use, or a plain plugin's ADD after the list had been
 * rolled back.
 */
function removeStray(call: Call, undoing: Undoing, entry: Entry): Finished | undefined {
  const namespace = call.facts.namespace(call.request.variables.netns);
  // guard: a chained plugin makes no interface
  if (entry.role === "meta" || namespace === undefined) return undefined;
  // guard: an interface that was there before a failed ADD
  if (!entry.done && isSameNamespace(entry.namespace, namespace)) return undefined;
  // guard: the interface of another container
  if (call.facts.strangers(call.key.containerId, namespace).length > 0 || isInResultOfOther(call, entry))
    return undefined;
  const link = call.session.host.linkIndex(undoing.netns, entry.ifName);
  // guard: the interface of a sibling
  if (isMadeBy(call.facts.siblings(call.key), call, { ifName: entry.ifName, link })) return undefined;
  const stray = { ...entry, namespace, before: 0, done: undefined, failed: undefined };
  const removal = planRemoval(undoing, stray);
  // guard: an interface of another attachment
  if (!removal.withNamespace) return undefined;
  // The entry's own DEL frees the lease. Until then, it tells which masquerading rules are the entry's.
  const del = ownDel(call, { ...stray, done: entry.done }, { ...removal, freesLease: false });
  return againBesideRules(undoing, entry, { call: del, answer: runDel(undoing, entry, del) });
}

/** Whether an entry is of the call's plugin: another one may have its place in the list, or a stray ADD left it. */
function isOfSamePlugin({ target }: Call, { type }: Entry): boolean {
  // guard: no other plugin's configuration is used
  return target.delegate === type;
}

/** Whether libcni's result of another container has an interface of an entry's name at the call's path: a plain plugin made it. */
function isInResultOfOther({ facts, key, request }: Call, { ifName }: Entry): boolean {
  const { netns } = request.variables;
  const others = facts.allResults().filter((one) => one.key.containerId !== key.containerId);
  return others.some(({ interfaces }) => interfaces.some(({ name, sandbox }) => name === ifName && sandbox === netns));
}

/** The DEL of the call's entry: the configuration of its ADD, with the runtime's prevResult, `runtimeConfig` and version. */
function ownDel(call: Call, entry: Entry, removal: Del): DelegateCall {
  const { prevResult: _, ...added } = entry.configuration;
  const configuration: JsonObject = isOfSamePlugin(call, entry) ? call.request.configuration : {};
  const { runtimeConfig = added.runtimeConfig, cniVersion = added.cniVersion } = configuration;
  const whole = { ...added, cniVersion, runtimeConfig, prevResult: resultFor(call, entry) };
  return delCall(call, entry, { removal, configuration: whole });
}

/** The runtime's prevResult for an entry, or that of its ADD. If the ADD has not passed, the runtime's is of an earlier one. */
function resultFor(call: Call, entry: Entry): unknown {
  const { prevResult } = entry.configuration;
  const present = entry.done && !isOlder(call, entry) ? prevResultFor(call, entry) : undefined;
  if (!present) return prevResult;
  // firewall's rules name the addresses of its ADD. The runtime may have a result of another one.
  const isByAddress = scopeOf(profileOf(entry.type, call.session.profiles)) === "address";
  return isByAddress ? withAddressesOf(present, prevResult) : present;
}

/** Whether the runtime's result was there before an entry's ADD, and libcni has written none since. */
function isOlder({ session: { host }, key }: Call, { resultMs }: Entry): boolean {
  return resultMs !== undefined && host.stat(cachedResultFile(key))?.modifiedMs === resultMs;
}

/** The same with the configuration that the list has now: tokens rotate. */
function listedDel(call: Call, entry: Entry, removal: Del): DelegateCall {
  const target = { ...call.target, delegate: entry.type, network: entry.delegateNetwork };
  const { configuration, filter } = delegateCall({ ...call, target }, "none");
  const whole = { ...configuration, prevResult: resultFor(call, entry) };
  const listed = delCall(call, entry, { removal, configuration: whole });
  return prepareCall(call.session, filter ? { ...listed, filter } : listed);
}
