import { withAdded } from "../attachment/added.ts";
import { containerInterfaceNames, ownAttachment } from "../attachment/attachments.ts";
import { narrowPrevResult } from "../attachment/narrow.ts";
import type { Call } from "../call/call.ts";
import { type DelegateCall, delegateCall } from "../call/delegate-call.ts";
import { inBothNetworks } from "../call/networks.ts";
import { planHandOver, type RemovePlan, type UndoPlan } from "../call/plan.ts";
import { warn } from "../call/session.ts";
import type { Target } from "../call/target.ts";
import { handOver, printed } from "../delegate/hand-over.ts";
import { type Finished, prepareCall } from "../delegate/run-delegate.ts";
import { withAddressesOf } from "../delegate/taken-addresses.ts";
import {
  addAgain,
  append,
  giveUp,
  keepingOthers,
  leaseKept,
  planRemoval,
  removeJournal,
  runDel,
  runRemoval,
  tryToUndo,
  type Undoing,
  undoEntries,
  undoJournal,
} from "../delegate/undo.ts";
import type { CachedResult } from "../journal/cached-result.ts";
import { type Entry, journalDirectory, type Namespace } from "../journal/journal.ts";
import type { Removal } from "../journal/sharing.ts";
import { profileOf, scopeOf } from "../plugin/profile.ts";
import { CniError } from "../protocol/errors.ts";
import { isJsonObject, type JsonObject } from "../protocol/json.ts";
import type { CniResult } from "../protocol/result.ts";

/** Plans DEL. A fault of the configuration or of prevResult must not fail it: an attachment must always be removable. */
export function planDel(call: Call): UndoPlan | RemovePlan {
  const { journal, own } = call;
  const left = journal.entries.filter(({ isUndone }) => !isUndone);
  const givenUp = left.filter(({ isGivenUp }) => isGivenUp);
  if (own === undefined) return { do: "remove", removals: removalsWithoutEntry(call), entries: givenUp };
  if (own.isUndone) return { do: "undo", entries: givenUp, own: undefined };
  // No plugin of the list is left for the entries after the own one: it was edited.
  const later = left.slice(left.indexOf(own) + 1).filter(({ isGivenUp }) => !isGivenUp);
  return {
    do: "undo",
    entries: left.filter((entry) => entry === own || entry.isGivenUp || later.includes(entry)),
    own,
  };
}

/** Undoes the entries of a plan, from the end. The runtime gets the answer of the own one. Returns the exit code. */
export function runUndo(call: Call, { entries, own }: UndoPlan): number {
  const undoing = undoingOf(call);
  for (const note of call.notes) warn(call.session, note);
  giveUp(
    undoing,
    entries.filter((entry) => entry !== own),
  );
  let answer: Finished | undefined;
  let failure: unknown;
  for (const entry of entries.toReversed()) {
    if (entry !== own) tryToUndo(undoing, entry);
    else
      try {
        answer = undoOwn(call, undoing, entry);
      } catch (thrown) {
        failure = thrown;
      }
  }
  finish(call, undoing);
  if (failure !== undefined) throw failure;
  return answer ? printed(answer) : 0;
}

function undoingOf({ session, facts, journal, request }: Call): Undoing {
  return { session, facts, journal, netns: request.variables.netns };
}

/** Runs the DEL of the own entry, with the runtime's prevResult. If it fails, it runs once more with the list's configuration. */
function undoOwn(call: Call, undoing: Undoing, entry: Entry): Finished | undefined {
  const { session } = call;
  const removal = planRemoval(undoing, entry);
  if (removal.do === "later") {
    giveUp(undoing, [entry]);
    return undefined;
  }
  if (removal.do === "nothing") {
    warn(session, `DEL of ${entry.type} for ${entry.ifName} is skipped: ${removal.why}`);
    append(undoing, [{ line: "undone", id: entry.id }]);
    return undefined;
  }
  const first = runRemoval(undoing, entry, { call: ownDel(call, entry, removal), removal });
  const answer = first.exitCode === 0 ? first : runDel(undoing, entry, listedDel(call, entry, removal));
  if (answer.exitCode !== 0) return answer;
  addAgain(undoing, removal.addAgain);
  append(undoing, [{ line: "undone", id: entry.id }]);
  return answer;
}

type Del = Removal & { readonly do: "DEL" };
type UnknownRemoval = RemovePlan["removals"][number];

/** The DEL of the own entry: the configuration of its ADD, and what the runtime gave. */
function ownDel(call: Call, entry: Entry, removal: Del): DelegateCall {
  const { configuration } = call.request;
  const { prevResult: before, ...added } = entry.configuration;
  const { runtimeConfig = added.runtimeConfig, cniVersion } = configuration;
  const prevResult = prevResultFor(call, entry) ?? (entry.role === "meta" && isMissing(call) ? before : undefined);
  const whole: JsonObject = {
    ...added,
    ...(cniVersion === undefined ? {} : { cniVersion }),
    ...(runtimeConfig === undefined ? {} : { runtimeConfig }),
    ...(prevResult === undefined ? {} : { prevResult: withRuleAddresses(call, entry, prevResult) }),
  };
  return delCall(call, entry, { removal, configuration: leaseKept(whole, removal) });
}

/** The same with the configuration that the list has now: tokens rotate. */
function listedDel(call: Call, entry: Entry, removal: Del): DelegateCall {
  const { prevResult: _, ...rest } = delegateCall({ ...call, target: targetOfEntry(call, entry) }).configuration ?? {};
  const prevResult = prevResultFor(call, entry);
  const whole = prevResult === undefined ? rest : { ...rest, prevResult };
  const listed = delCall(call, entry, { removal, configuration: leaseKept(whole, removal) });
  warn(call.session, "DEL failed with the configuration of ADD: running it once more with the list's");
  const { filter } = delegateCall(call);
  return prepareCall(call.session, filter ? { ...listed, filter } : listed);
}

function targetOfEntry({ target }: Call, { type, ifName, delegateNetwork, role }: Entry): Target {
  return { ...target, delegate: type, role, network: delegateNetwork, selector: { ...target.selector, ifName } };
}

function delCall(
  call: Call,
  entry: Entry,
  { removal, configuration }: { removal: Del; configuration: JsonObject },
): DelegateCall {
  const { environment } = delegateCall(call);
  const { netns } = call.request.variables;
  const isThere = call.facts.namespace(netns) !== undefined;
  return {
    delegate: entry.type,
    environment: {
      ...environment,
      CNI_IFNAME: entry.ifName,
      // A plugin knows itself what to do about a namespace that is gone.
      ...(removal.withNamespace || !isThere ? {} : { CNI_NETNS: "" }),
    },
    configuration,
  };
}

/** Whether the runtime gave no prevResult: ADD never completed, or the result was lost. */
function isMissing({ prevResult, problem }: Call): boolean {
  return prevResult === undefined && problem === undefined;
}

/** The runtime's prevResult, narrowed to an entry. A creator gets none that lacks its interface, a meta plugin all of it. */
function prevResultFor(call: Call, { role, ifName, done }: Pick<Entry, "role" | "ifName" | "done">): unknown {
  const { prevResult, request, session, target } = call;
  if (prevResult === undefined) return role === "meta" || !call.problem ? request.configuration.prevResult : undefined;
  const selector = { ...target.selector, ifName };
  const attachment = ownAttachment(prevResult, selector);
  try {
    if (attachment) return narrowPrevResult(prevResult, withAdded(prevResult, attachment, done?.added ?? []), selector);
    if (containerInterfaceNames(prevResult).length === 0) return prevResult;
  } catch (error) {
    if (!(error instanceof CniError)) throw error;
    warn(session, error.message);
  }
  warn(
    session,
    `interface ${ifName} is not in prevResult: the delegate gets ${role === "meta" ? "all of it" : "no prevResult"}`,
  );
  return role === "meta" ? prevResult : undefined;
}

/** firewall's rules name the addresses of its ADD. The runtime may have a result of another one. */
function withRuleAddresses({ session }: Call, entry: Entry, prevResult: unknown): unknown {
  const isByAddress = entry.role === "meta" && scopeOf(profileOf(entry.type, session.profiles)) === "address";
  if (!isByAddress || !isJsonObject(prevResult)) return prevResult;
  return withAddressesOf(prevResult as CniResult, entry.configuration.prevResult);
}

/**
 * The DELs of an attachment without an entry: it was attached plain, by a script, or never. The evidence is prevResult, or
 * libcni's file. Without any, DEL runs by name if the container has no other attachment.
 */
function removalsWithoutEntry(call: Call): RemovePlan["removals"] {
  const { facts, key, journal, target, request } = call;
  const result = call.prevResult || request.configuration.prevResult ? undefined : facts.result(key);
  if (!call.prevResult && !request.configuration.prevResult && !result && hasOthers(call)) return [];
  const role = target.role ?? (journal.entries.length > 0 ? "meta" : "creator");
  const isListed = call.prevResult ? namesInterface(call.prevResult, target) : !result || isIn(result, target);
  const targets = role === "creator" ? inBothNetworks(call) : [target];
  return targets.map((one, index) => {
    const subject = { ...call, target: { ...one, role: target.role } };
    const whole = prevResultFor(call, {
      role: target.role === "meta" ? "meta" : "creator",
      ifName: one.selector.ifName,
    });
    const { configuration: { prevResult: _, ...rest } = {}, ...made } = delegateCall(subject);
    const configuration = whole === undefined || whole === null ? rest : { ...rest, prevResult: whole };
    // The first DEL deletes the interface, so the others only free leases.
    return {
      call: { ...made, configuration },
      as: imaginedEntry(call, one, { role, isListed: isListed && index === 0 }),
    };
  });
}

/** Whether something else of the container is known: another attachment, or another plugin of this one. */
function hasOthers({ facts, key, journal }: Call): boolean {
  return journal.entries.length > 0 || facts.siblings(key).length > 0 || facts.otherResults(key, undefined).length > 0;
}

function namesInterface(evidence: CniResult, { selector }: Target): boolean {
  return containerInterfaceNames(evidence).length === 0 || ownAttachment(evidence, selector) !== undefined;
}

function isIn({ interfaces }: CachedResult, { selector }: Target): boolean {
  return interfaces.length === 0 || interfaces.some(({ name }) => name === selector.ifName);
}

/** The entry that a wrapper would have written. Without an interface of its own, its DEL gets no namespace. */
function imaginedEntry(
  call: Call,
  target: Target,
  { role, isListed }: Pick<Entry, "role"> & { isListed: boolean },
): Entry {
  const { key, facts, request } = call;
  const { bootId = "", uptime = 0 } = facts.moment() ?? {};
  const nowhere: Namespace = { path: request.variables.netns, device: -1, inode: -1 };
  return {
    ...key,
    id: "",
    bootId,
    uptime,
    type: target.delegate,
    role,
    ifName: target.selector.ifName,
    delegateNetwork: target.network,
    path: "",
    args: "",
    namespace: isListed ? (facts.namespace(request.variables.netns) ?? nowhere) : nowhere,
    checksum: "",
    wrapper: {},
    configuration: {},
    done: { uptime, addresses: [] },
    isGivenUp: false,
    isUndone: false,
  };
}

/** Runs the DELs of an attachment without an entry. The runtime gets the first failed answer, else the last one. */
export function runRemovals(call: Call, { removals, entries }: RemovePlan): number {
  const undoing = undoingOf(call);
  for (const note of [...call.notes, ...(call.problem === undefined ? [] : [call.problem])]) warn(call.session, note);
  undoEntries(undoing, entries);
  removeOldRecords(call);
  const dels = removals.map((removal) => ({ removal, del: delWithoutEntry(undoing, call, removal) }));
  finish(call, undoing);
  const [only] = dels;
  // Nothing depends on its answer.
  if (only?.del && dels.length === 1 && only.del.addAgain.length === 0 && !sharesNetwork(call)) {
    return handOver(call.session, planHandOver(only.del.call));
  }
  const answers = dels.flatMap(({ removal, del }) =>
    del ? [removeUnknown(call, undoing, { ...removal, ...del })] : [],
  );
  const answer = answers.find(({ exitCode }) => exitCode !== 0) ?? answers.at(-1);
  return answer ? printed(answer) : 0;
}

/** A DEL without an entry, and the ADDs that it makes necessary. */
interface UnknownDel {
  readonly call: DelegateCall;
  readonly addAgain: readonly Entry[];
}

function delWithoutEntry(
  undoing: Undoing,
  { session, facts, request }: Call,
  { call, as }: UnknownRemoval,
): UnknownDel | undefined {
  const removal = planRemoval(undoing, as);
  if (removal.do !== "DEL") {
    const why = removal.do === "nothing" ? removal.why : "its rules are shared";
    warn(session, `DEL of ${as.type} for ${as.ifName} is skipped: ${why}`);
    return undefined;
  }
  const isThere = facts.namespace(request.variables.netns) !== undefined;
  const environment = { ...call.environment, ...(removal.withNamespace || !isThere ? {} : { CNI_NETNS: "" }) };
  const configuration = keepingOthers(undoing, as, leaseKept(call.configuration ?? {}, removal));
  return { call: prepareCall(session, { ...call, environment, configuration }), addAgain: removal.addAgain };
}

/** Whether a creator runs in the list's own network, with others of the list. They share a masquerading chain. */
function sharesNetwork({ request: { configuration, wrapper }, target }: Call): boolean {
  return target.role === "creator" && wrapper.ifName !== undefined && target.network === configuration.name;
}

function removeUnknown(
  call: Call,
  undoing: Undoing,
  { call: del, as, addAgain: again }: UnknownRemoval & UnknownDel,
): Finished {
  const first = runDel(undoing, as, del);
  // The first DEL cannot remove a chain while another interface's rule points to it, and fails after everything else is gone.
  const isShared = sharesNetwork(call) || del.configuration?.name === call.request.configuration.name;
  const answer = first.exitCode !== 0 && as.role === "creator" && isShared ? runDel(undoing, as, del) : first;
  if (answer.exitCode === 0) addAgain(undoing, again);
  return answer;
}

/** Removes the files that 0.2.0 kept of an attachment. */
function removeOldRecords({ session: { host }, key }: Call): void {
  const prefix = `${key.network}:${key.containerId}:${key.runtimeIfName}:`;
  for (const name of host.listDirectory(journalDirectory)) {
    if (name.startsWith(prefix) || name.startsWith(`.${prefix}`)) host.removeFile(`${journalDirectory}/${name}`);
  }
}

/** Removes the journal if nothing is left of it, and undoes what siblings left because it was shared with this one. */
function finish({ facts, key, journal, session }: Call, undoing: Undoing): void {
  if (journal.problem !== undefined) return;
  const { entries } = facts.journal(key);
  if (entries.length > 0 && entries.every(({ isUndone }) => isUndone)) removeJournal(undoing);
  if (entries.some(({ isUndone }) => !isUndone)) return;
  for (const sibling of facts.siblings(key)) {
    const isLeft = sibling.entries.length > 0 && sibling.entries.every(({ isGivenUp }) => isGivenUp);
    if (isLeft) undoJournal({ session, facts, journal: sibling, netns: undoing.netns });
  }
}
