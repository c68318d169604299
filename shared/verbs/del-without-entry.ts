import { addressesOf, containerInterfaceNames, ownAttachment } from "../attachment/attachments.ts";
import type { Call, Target } from "../call/call.ts";
import { delegateCall } from "../call/delegate-call.ts";
import { inBothNetworks } from "../call/networks.ts";
import type { RemovePlan } from "../call/plan.ts";
import { warn } from "../call/session.ts";
import { type Finished, handOver, prepareCall, printAnswer, runDel } from "../delegate/run-delegate.ts";
import { type PlannedDel, runRemoval, undoEntries } from "../delegate/undo.ts";
import { demandReadable, planRemoval, removesRules, type Undoing } from "../delegate/undoing.ts";
import type { CachedResult } from "../journal/host-files.ts";
import { type Entry, journalDirectory, nowhere } from "../journal/journal.ts";
import { masquerades } from "../journal/sharing.ts";
import { type Role, scopeOf } from "../plugin/profile.ts";
import type { CniResult } from "../protocol/result.ts";
import { delCall, finish, prevResultFor, undoingOf } from "./removal.ts";

type UnknownRemoval = RemovePlan["removals"][number];

/**
 * The DELs of an attachment without an entry: it was attached plain, by a script, or never. The evidence is prevResult, or
 * libcni's file. Without any, DEL runs by name if the container has no other attachment.
 */
export function removalsWithoutEntry(call: Call): RemovePlan["removals"] {
  const { facts, key, target } = call;
  // Before the journals: what makes the interface later is not in them yet.
  const isMissing = isInterfaceMissing(call);
  const given = call.request.configuration.prevResult;
  const result = given ? undefined : facts.result(key);
  // guard: the container's other attachments, without evidence
  if (!given && !result && hasOthers(call)) return [];
  const role = target.role ?? knownRole(call);
  const isListed = call.prevResult ? namesInterface(call.prevResult, target) : !result || isIn(result, target);
  // guard: the interface that a sibling's ADD makes next
  const isThere = isListed && !isMissing;
  const shown = shownPrevResult(call) ?? "none";
  // The first DEL of a known creator deletes the interface, so the other only frees leases.
  return inBothNetworks({ ...call, target: { ...target, role } }).map((one, index) => {
    const planned = delegateCall({ ...call, target: one }, shown);
    const isIn = isThere && (index === 0 || one.profile?.role !== "creator");
    return {
      call: planned,
      as: imaginedEntry(call, one, { role, isThere: isIn, configuration: planned.configuration }),
    };
  });
}

/** Whether the interface is missing without which the DEL of a known plugin does nothing in the namespace. */
function isInterfaceMissing({ session, request, target: { profile, role, selector } }: Call): boolean {
  const { netns } = request.variables;
  const isAboutInterface = role === "creator" || scopeOf(profile) === "interface";
  if (!profile || !isAboutInterface || profile.delNeedsNamespace) return false;
  return session.host.linkIndex(netns, selector.ifName) === 0;
}

/** The prevResult for the DEL of an attachment without an entry. */
function shownPrevResult(call: Call): CniResult | null | undefined {
  const { prevResult, request, target } = call;
  if (prevResult === undefined) return request.configuration.prevResult;
  // A plain firewall lets all addresses through.
  if (scopeOf(target.profile) === "address") return prevResult;
  const role: Role = target.role === "meta" ? "meta" : "creator";
  return prevResultFor(call, { type: target.delegate, role, ifName: target.selector.ifName });
}

/** The role of an unknown plugin: what the container's other attachments know of it, or what its own list has already. */
function knownRole({ facts, key, journal, target }: Call): Role {
  if (journal.entries.length > 0) return "meta";
  const others = facts.siblings(key).flatMap(({ entries }) => entries);
  return others.find(({ type }) => type === target.delegate)?.role ?? "creator";
}

/** Whether another attachment of the container is known, or a plugin of this one. A chained plugin may have been plain beside that. */
function hasOthers({ facts, key, journal, target }: Call): boolean {
  // guard: the interfaces of the attachment's other plugins
  if (journal.entries.length > 0 && target.role !== "meta") return true;
  // guard: the container's other attachments
  return facts.siblings(key).length > 0 || facts.otherResults(key, undefined).length > 0;
}

function namesInterface(evidence: CniResult, { selector }: Target): boolean {
  // guard: an interface that prevResult does not name
  return containerInterfaceNames(evidence).length === 0 || ownAttachment(evidence, selector) !== undefined;
}

function isIn({ interfaces }: CachedResult, { selector }: Target): boolean {
  // guard: an interface that the result does not name
  return interfaces.length === 0 || interfaces.some(({ name }) => name === selector.ifName);
}

/** The entry that a wrapper would have written. Without an interface of its own, or in another container's namespace, its DEL gets no namespace. */
function imaginedEntry(
  call: Call,
  target: Target,
  { role, isThere, configuration }: Pick<Entry, "role" | "configuration"> & { isThere: boolean },
): Entry {
  const { key, facts, prevResult, request } = call;
  const { netns } = request.variables;
  const { bootId = "", uptime = 0 } = facts.moment() ?? {};
  const namespace = isThere ? facts.namespace(netns) : undefined;
  // guard: the interface of another container
  const isOwn = namespace && facts.strangers(key.containerId, namespace).length === 0;
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
    namespace: isOwn ? namespace : nowhere(netns),
    checksum: "",
    wrapper: {},
    configuration,
    done: { addresses: prevResult ? addressesOf(prevResult, target.selector) : [] },
    isGivenUp: false,
    isUndone: false,
  };
}

/** Runs the DELs of an attachment without an entry. The runtime gets the first failed answer, else the last one. */
export function runRemovals(call: Call, { removals, entries }: RemovePlan): number {
  const undoing = undoingOf(call);
  undoEntries(undoing, entries);
  removeOldRecords(call);
  finish(call, undoing);
  const [first, other] = removals;
  const del = first && delWithoutEntry(undoing, call, first);
  // The DEL of a repeatable plugin may remove a sibling's rules, so that the sibling's ADD must run again.
  const { repeatable, delNeedsMaster } = call.target.profile ?? {};
  // Nothing depends on its answer.
  const isAlone = del && !other && !removesRules(undoing, first.as, del.removal);
  if (isAlone && !repeatable && !delNeedsMaster && !sharesNetwork(call))
    return handOver(call.session, { do: "handOver", call: del.call });
  const answers = removals.flatMap((removal, index) => {
    // A sibling's ADD may have begun meanwhile.
    if (index > 0) call.facts.forget(call.key.containerId);
    const planned = index > 0 ? delWithoutEntry(undoing, call, removal) : del;
    return planned ? [removeUnknown(call, undoing, { ...removal, planned })] : [];
  });
  const answer = answers.find(({ exitCode }) => exitCode !== 0) ?? answers.at(-1);
  return answer ? printAnswer(answer) : 0;
}

function delWithoutEntry(undoing: Undoing, call: Call, { call: planned, as }: UnknownRemoval): PlannedDel | undefined {
  const removal = planRemoval(undoing, as);
  if (removal.do !== "DEL") {
    demandReadable(undoing);
    const why = removal.do === "nothing" ? removal.why : "its rules are shared";
    warn(call.session, `DEL of ${as.type} for ${as.ifName} is skipped: ${why}`);
    return undefined;
  }
  const del = delCall(call, as, { removal, configuration: planned.configuration });
  return { call: prepareCall(call.session, { ...planned, ...del }), removal };
}

/** Whether a creator runs in the list's own network, with others of the list. They share a masquerading chain. */
function sharesNetwork({ request: { configuration, wrapper }, target }: Call): boolean {
  return target.role === "creator" && wrapper.ifName !== undefined && target.network === configuration.name;
}

function removeUnknown(call: Call, undoing: Undoing, unknown: UnknownRemoval & { planned: PlannedDel }): Finished {
  const { as, planned } = unknown;
  const first = runRemoval(undoing, as, planned);
  // The first DEL cannot remove a chain while another interface's rule points to it, and fails after everything else is gone.
  const isShared = planned.call.configuration.name === call.request.configuration.name;
  // bridge 1.3.0 fails if it finds an address, but no chain: nothing has masqueraded under this name, or a reboot came since.
  const mayLackChain = masquerades(as, call.target.profile);
  if (first.exitCode === 0 || as.role === "meta" || !(isShared || mayLackChain)) return first;
  call.facts.forget(call.key.containerId);
  const again = delWithoutEntry(undoing, call, unknown);
  return again ? runDel(undoing, as, again.call) : first;
}

/** Removes the files that 0.2.0 kept of an attachment. */
function removeOldRecords({ session: { host }, facts, key }: Call): void {
  const prefix = `${key.network}:${key.containerId}:${key.runtimeIfName}:`;
  for (const name of facts.list(journalDirectory)) {
    if (name.startsWith(prefix) || name.startsWith(`.${prefix}`)) host.removeFile(`${journalDirectory}/${name}`);
  }
}
