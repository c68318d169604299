import { containerInterfaceNames, ownAttachment, withAdded, withInterfaces } from "../attachment/attachments.ts";
import { arranged, narrowPrevResult } from "../attachment/narrow.ts";
import type { Call } from "../call/call.ts";
import { changedVariables, type DelegateCall } from "../call/delegate-call.ts";
import { warn } from "../call/session.ts";
import { withoutShared, withoutTakenAddresses, withReadablePrevResult } from "../delegate/del-configuration.ts";
import { undoJournal } from "../delegate/undo.ts";
import { removeIfUndone, type Undoing } from "../delegate/undoing.ts";
import { cachedResultFile } from "../journal/host-files.ts";
import { type Entry, isStanding, type Journal, withoutStrays } from "../journal/journal.ts";
import type { Del } from "../journal/sharing.ts";
import { profileOf } from "../plugin/profile.ts";
import { toCniError } from "../protocol/errors.ts";
import type { JsonObject } from "../protocol/json.ts";
import { type CniResult, isContainerInterface, listsInterface } from "../protocol/result.ts";

/** Returns what undoing the entries of a call's journal needs. */
export function undoingOf({ session, facts, journal, request }: Call): Undoing {
  return { session, facts, journal, netns: request.variables.netns };
}

/** The DEL of an entry with a configuration. All else is as the runtime gave it. */
export function delCall(
  call: Call,
  entry: Entry,
  { removal, configuration }: { readonly removal: Del; readonly configuration: JsonObject },
): DelegateCall {
  const { session, facts, request, target } = call;
  const isThere = facts.namespace(request.variables.netns) !== undefined;
  const readable = withReadablePrevResult(session, withoutShared(configuration, removal));
  return {
    delegate: entry.type,
    environment: {
      ...changedVariables(request, target),
      CNI_IFNAME: entry.ifName,
      // A plugin knows itself what to do about a namespace that is gone.
      ...(removal.withNamespace || !isThere ? {} : { CNI_NETNS: "" }),
    },
    configuration: withoutTakenAddresses(undoingOf(call), entry, readable),
  };
}

/** The runtime's prevResult, narrowed to an entry. A creator gets none that lacks its interface, a chained plugin all of it. */
export function prevResultFor(
  call: Call,
  { type, role, ifName, done }: Pick<Entry, "type" | "role" | "ifName" | "done">,
): CniResult | null | undefined {
  const { prevResult, request, session, target } = call;
  if (prevResult === undefined) return request.configuration.prevResult;
  const selector = { ...target.selector, ifName };
  const attachment = ownAttachment(prevResult, selector);
  const added = done?.added ?? [];
  let why = `interface ${ifName} is not in prevResult`;
  try {
    if (attachment) {
      const whole = narrowPrevResult(prevResult, withAdded(prevResult, attachment, added), selector);
      const narrowed = profileOf(type, session.profiles)?.takesOverHostInterface ? withoutHostSide(whole) : whole;
      // An older result does not list all of them.
      const missing = added.filter((one) => !listsInterface(narrowed, one));
      return withInterfaces(narrowed, missing);
    }
    if (containerInterfaceNames(prevResult).length === 0) return prevResult;
  } catch (error) {
    why = toCniError(error).message;
  }
  warn(session, `${why}: the delegate gets ${role === "meta" ? "all of it" : "no prevResult"}`);
  return role === "meta" ? prevResult : undefined;
}

/**
 * The result without host-side interfaces: another plugin may have made them before the list was edited, and ipvlan's DEL fails
 * with more than its own interface (plugins/main/ipvlan/ipvlan.go, loadConf).
 */
function withoutHostSide(result: CniResult): CniResult {
  const inside = (result.interfaces ?? []).flatMap((one, index) => (isContainerInterface(one) ? [index] : []));
  return inside.length > 0 ? arranged(result, inside) : result;
}

/** Removes the journal if nothing is left of it, and undoes what siblings left because it was shared with this one. */
export function finish({ facts, key, journal }: Call, undoing: Undoing): void {
  const stays = removeIfUndone(undoing);
  if (stays ? !lastLeft(facts.journal(key)) : facts.siblings(key).length === 0) return;
  // libcni removes its result next. Until then, without a journal, it would look like a plain attachment's.
  facts.wrote(cachedResultFile(key), undefined);
  // Another DEL at the same time may leave what is shared to this one, as this one does to it: what was read is old.
  if (journal.entries.length > 0) facts.forget(key.containerId);
  const waiting = facts.journal(key).entries.flatMap(({ isUndone, type }) => (isUndone ? [] : type));
  const isHolder = (one: Entry) => isStanding(one) && waiting.includes(one.type);
  const isHeld = facts.siblings(key).some(({ entries }) => entries.some(isHolder));
  undoWaiting(undoing, stays && !isHeld);
}

/** Undoes what siblings left because it was shared with an attachment that is gone. With `own`, what that left as well. */
export function undoWaiting(undoing: Undoing, own = false): void {
  const { facts } = undoing;
  const { key } = undoing.journal;
  // A chain that several of them share goes with the last one's rules: the others' DEL fails the first time.
  const passes = facts.siblings(key).length > 0 ? 2 : 1;
  for (let pass = 0; pass < passes; pass++) {
    const present = facts.journal(key);
    if (own && lastLeft(present)) undoJournal({ ...undoing, journal: present });
    for (const journal of facts.siblings(key)) {
      const last = lastLeft(journal);
      if (!last || mayBePlain(undoing, journal)) continue;
      // GC has no namespace: a DEL without it would leave an interface that is there.
      undoJournal({ ...undoing, journal, netns: undoing.netns || last.namespace.path });
    }
  }
}

/** Whether a journal has only what stray ADDs left, and libcni has a result: a plain attachment may be in use. */
function mayBePlain({ facts }: Undoing, journal: Journal): boolean {
  return withoutStrays(journal).length === 0 && facts.result(journal.key) !== undefined;
}

/** The last entry that is not undone, of a journal that has only what could not be undone yet. */
function lastLeft({ entries }: Journal): Entry | undefined {
  return entries.every(({ isGivenUp }) => isGivenUp) ? entries.findLast(({ isUndone }) => !isUndone) : undefined;
}
