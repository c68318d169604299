import { containerInterfaceNames, missingAttachment, ownAttachment } from "../attachment/attachments.ts";
import { narrowPrevResult } from "../attachment/narrow.ts";
import { ipName } from "../attachment/subnet.ts";
import type { Call } from "../call/call.ts";
import { type DelegateCall, delegateCall } from "../call/delegate-call.ts";
import { areInSubnets, askingFor, inLeasedNetwork } from "../call/networks.ts";
import type { AddPlan, HandOver, Splice } from "../call/plan.ts";
import { warnAloud } from "../call/session.ts";
import type { Undoing } from "../delegate/undoing.ts";
import { leaseDirectoryOf } from "../journal/host-files.ts";
import {
  checksumOf,
  type Entry,
  isSameAttachment,
  isSameNamespace,
  isStanding,
  type Journal,
  type Moment,
  type Namespace,
  namesOf,
} from "../journal/journal.ts";
import { type Lent, lentAddresses, type Recovery } from "../journal/recovery-table.ts";
import { holdsLease } from "../journal/sharing.ts";
import { sharedDeviceName } from "../plugin/profile.ts";
import { CniError } from "../protocol/errors.ts";
import { ipamOf, type JsonObject } from "../protocol/json.ts";
import { indexProblem } from "../protocol/request.ts";
import { type CniResult, isChainVersion, listsInterface } from "../protocol/result.ts";

/** Plans ADD. Code 7 if a name or a subnet is taken, 103 if a chained plugin's interface is missing. */
export function planAdd(given: Call): AddPlan | HandOver {
  const call = { ...given, target: inLeasedNetwork(given) };
  const { prevResult, request } = call;
  if (prevResult) return planChainedAdd(call, prevResult);
  if (isChainVersion(request.configuration.cniVersion)) return planFirstAdd(call);
  return { do: "handOver", call: delegateCall(call) };
}

/** Plans the first ADD of a chain. Code 7 if a renamed interface would have the name of the plugin's own device. */
function planFirstAdd(call: Call): AddPlan {
  const { renamed, selector } = call.target;
  if (renamed) refuseDeviceName(call);
  const splice: Splice = renamed ? { as: "first", selector } : { as: "only" };
  return { do: "add", call: delegateCall(call), splice };
}

/** Plans ADD after other plugins. Code 7 if a creator's name is taken, 103 if a chained plugin's interface is missing. */
function planChainedAdd(call: Call, prevResult: CniResult): AddPlan {
  const { profile, role, selector } = call.target;
  const others = containerInterfaceNames(prevResult);
  if (profile?.takesOverHostInterface && others.length === 0) return planFirstAdd(call);
  if (role === "creator") {
    const problem = indexProblem(prevResult, "prevResult");
    // Such an index would point to an appended interface.
    if (problem !== undefined) throw new CniError("invalidPrevResult", problem);
    refuseDeviceName(call);
    const { ifName, netns } = selector;
    if (listsInterface(prevResult, { name: ifName, sandbox: netns }))
      throw new CniError("interfaceNameTaken", ifName, `an earlier plugin of the list made it in ${netns}`);
    return { do: "add", call: delegateCall(call, "none"), splice: { as: "creator", selector, prevResult } };
  }
  if (others.length === 0) return { do: "add", call: delegateCall(call), splice: { as: "only" } };
  const attachment = ownAttachment(prevResult, selector);
  if (attachment === undefined) throw missingAttachment(selector.ifName, others);
  const narrowed = narrowPrevResult(prevResult, attachment, selector);
  const splice: Splice = narrowed === prevResult ? { as: "only" } : { as: "meta", selector, prevResult, attachment };
  return { do: "add", call: delegateCall(call, narrowed), splice };
}

// The plugin's CHECK would confuse the two.
function refuseDeviceName({ request, target: { profile, selector } }: Call): void {
  if (sharedDeviceName(profile, request.configuration) === selector.ifName)
    throw new CniError("interfaceNameTaken", selector.ifName, `it is the plugin's own ${profile?.sharedDevice?.key}`);
}

/** One run of ADD. */
export interface Adding {
  readonly call: Call;
  readonly plan: AddPlan;
  readonly path: string;
  readonly delegateCall: DelegateCall;
  /** Undefined if nothing can be remembered. */
  readonly memory: Remembering | undefined;
}

/** Where and when ADD runs. */
export interface Remembering {
  readonly moment: Moment;
  readonly namespace: Namespace;
  readonly resultMs: number | undefined;
  readonly recovery: Recovery;
  readonly undoing: Undoing;
  /** Somebody had set the MAC of the host device that the plugin shares, before the plugin ran: see `Done`. */
  readonly isMacFixed: boolean;
}

/** The addresses that an ADD asks for, and its call with that request. */
interface Asking extends Lent {
  readonly call: DelegateCall;
}

/**
 * Returns the call that asks for the addresses which the interface had. Undefined if the plugin cannot be asked for them, if
 * somebody else has leased one by now, or if another attachment has the interface's lease: host-local would add the address to
 * that lease, and free both when ADD fails.
 */
export function lentTo({ call, delegateCall }: Adding, journal: Journal, { bootId }: Moment): Asking | undefined {
  const { target, facts, key } = call;
  const { ifName } = target.selector;
  const lent = target.role === "meta" ? undefined : lentAddresses(journal, ifName, bootId);
  if (!lent?.addresses.length) return undefined;
  // The subnet was edited. If host-local fails, a new bridge loses its MAC, and the next ADD fails as well.
  if (!areInSubnets(delegateCall.configuration, lent.addresses)) return undefined;
  const { configuration, environment } = delegateCall;
  const delegateNetwork = String(configuration.name ?? target.network);
  const names = lent.addresses.map(ipName);
  const leases = facts.leases(leaseDirectoryOf(ipamOf(configuration), delegateNetwork), (one) =>
    names.includes(ipName(one)),
  );
  if (leases.some((one) => one.containerId !== key.containerId || one.ifName !== ifName)) return undefined;
  const siblings = facts.siblings(key).flatMap(({ entries }) => entries);
  const isThere = (namespace: Namespace) => facts.isThere(namespace);
  const leased = { delegateNetwork, ifName, configuration, bootId, isThere };
  if (siblings.some((other) => holdsLease(other, leased))) return undefined;
  const asking = askingFor(delegateCall, lent.addresses, environment.CNI_ARGS ?? call.request.variables.args);
  return asking && { ...lent, call: asking };
}

/** Returns the entry of an ADD that begins now. */
export function entryOf(
  { call, path, delegateCall }: Adding,
  { moment, namespace, resultMs }: Pick<Remembering, "moment" | "namespace" | "resultMs">,
  { asked, order }: { asked: readonly string[] | undefined; order: number },
): Entry {
  const { session, key, request, target } = call;
  const { configuration, environment } = delegateCall;
  const { host } = session;
  const isMeta = target.role === "meta";
  const { ifName } = target.selector;
  return {
    ...key,
    ...moment,
    id: `${host.pid}-${host.now()}-${order}`,
    type: target.delegate,
    role: isMeta ? "meta" : "creator",
    ifName,
    delegateNetwork: String(configuration.name ?? target.network),
    path,
    args: environment.CNI_ARGS ?? request.variables.args,
    namespace,
    before: isMeta ? undefined : host.linkIndex(namespace.path, ifName),
    resultMs,
    ...(!earlierInterfaces(call) && { first: true }),
    asked,
    checksum: checksumOf(request.configuration),
    wrapper: request.wrapper as JsonObject,
    configuration,
    isGivenUp: false,
    isUndone: false,
  };
}

/**
 * Returns the error (code 7) that refuses an ADD; undefined if it may run. Its plugin would find an interface of the container in
 * its way, and use that interface or free its lease. `entry` is the ADD's own; without one nothing is remembered. Two ADDs at the
 * same time may refuse each other.
 */
export function refusalOf({ call: { facts, key, session, target } }: Adding, entry?: Entry): CniError | undefined {
  const link = () => session.host.linkIndex(target.selector.netns, target.selector.ifName);
  // guard: an interface that the plugin would take for its own
  if (target.profile?.takesNamesake && (entry ? entry.before : link()))
    return new CniError("interfaceNameTaken", target.selector.ifName, "the container has an interface of that name");
  if (!target.profile?.leasesFirst || !entry) return undefined;
  // A sibling may have begun meanwhile.
  facts.forget(key.containerId, key);
  const { id, namespace, ifName } = entry;
  const leased = { ...entry, isThere: (other: Namespace) => facts.isThere(other) };
  // With `recover: never` it stands. Without an interface, nothing is in the way.
  const isOwnTry = (one: Entry) => isSameAttachment(one, entry) && link() === 0;
  const isIt = (one: Entry) =>
    // guard: the lease of an interface that is in use
    one.done ? one.done.made !== undefined && one.done.made === link() : holdsLease(one, leased) && !isOwnTry(one);
  const maker = [facts.journal(key), ...facts.siblings(key)]
    .flatMap(({ entries }) => entries)
    .find((one) => one.id !== id && isStanding(one) && isSameNamespace(one.namespace, namespace) && isIt(one));
  if (!maker) return undefined;
  const attachment = `${maker.network}, interface ${maker.runtimeIfName}`;
  return new CniError("interfaceNameTaken", ifName, `${maker.type} makes it, or has made it, for ${attachment}`);
}

/**
 * The container interfaces in prevResult. Undefined if a new try begins with the plugin: no wrapped one has made an interface
 * before it.
 */
export function earlierInterfaces({ facts, key, prevResult, target }: Call): readonly string[] | undefined {
  if (!prevResult) return undefined;
  const earlier = containerInterfaceNames(prevResult);
  // A plugin may report no interface.
  if (target.role === "meta" || earlier.length === 0) return earlier;
  const isMaker = (one: Entry) => isStanding(one) && namesOf(one).some((name) => earlier.includes(name));
  return facts.journal(key).entries.some(isMaker) ? earlier : undefined;
}

/**
 * Warns, in the log and on stderr, about interfaces of prevResult without an entry: their plugins are not wrapped. Their CHECK
 * fails because of the other interfaces, and a runtime like Nomad then destroys the container's network.
 */
export function warnOfUnwrapped({ session, prevResult, journal }: Call, { role }: Entry): void {
  if (prevResult === undefined || role === "meta") return;
  const known = journal.entries.flatMap(namesOf);
  const names = new Set(containerInterfaceNames(prevResult).filter((name) => name !== "lo" && !known.includes(name)));
  if (names.size === 0) return;
  const made = names.size === 1 ? `interface ${[...names]} was` : `interfaces ${[...names].join(", ")} were`;
  const problem = `${made} made by an unwrapped plugin: its CHECK will fail because of the other interfaces`;
  warnAloud(session, `${problem}; wrap every plugin that makes an interface ("type": "macvlan-wrapper")`);
}
