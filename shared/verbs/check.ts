import { containerInterfaceNames, missingAttachment, ownAttachment, withAdded } from "../attachment/attachments.ts";
import { narrowPrevResult } from "../attachment/narrow.ts";
import type { Call } from "../call/call.ts";
import { type DelegateCall, delegateCall } from "../call/delegate-call.ts";
import { hasOwnLease, listNetwork } from "../call/networks.ts";
import { type CheckTwice, type HandOver, type LeftOut, planHandOver } from "../call/plan.ts";
import { warn } from "../call/session.ts";
import { findDelegate } from "../delegate/find-delegate.ts";
import { printed } from "../delegate/hand-over.ts";
import { locate, prepareCall, readRouting, runDelegate } from "../delegate/run-delegate.ts";
import { ipamOf } from "../journal/host-files.ts";
import { type Entry, isSameNamespace } from "../journal/journal.ts";
import {
  isInOtherTable,
  joinedFinder,
  type MovedRouting,
  missingRoutes,
  missingRouting,
  routeFinder,
  withoutMoved,
  withoutReplaced,
} from "../journal/routing.ts";
import { macIn, withoutMac } from "../plugin/profile.ts";
import { CniError } from "../protocol/errors.ts";
import { goLookup } from "../protocol/json.ts";
import type { CniResult } from "../protocol/result.ts";
import { hasFixedMac, isSetSince, sharedDeviceOf } from "./fixed-mac.ts";

/**
 * Plans CHECK: prevResult narrowed to the delegate's attachment, without what a correct attachment fails for. An interface
 * without an entry was made by something else, such as a script. Its leases are under the list's own name, so a failed
 * CHECK is run again under that name.
 */
export function planCheck(call: Call): HandOver | CheckTwice {
  const narrowed = narrowedCheck(call);
  const given = withoutRouters(call, narrowed);
  const fixed = withoutFloatingMac(call, given);
  const found = withoutOtherTables(call, fixed);
  const apart = withoutJoined(call, found);
  const prepared = prepareCall(call.session, apart);
  const first = withoutMovedRoutes(call, prepared);
  const leftOut: LeftOut[] = [];
  if (given !== narrowed) leftOut.push("routers' addresses");
  if (fixed !== given) leftOut.push("MAC");
  if (found !== fixed) leftOut.push("routes of other tables");
  if (apart !== found) leftOut.push("joined routes");
  if (first !== prepared) leftOut.push("moved routes");
  const { own, prevResult, target } = call;
  // guard: an interface with an entry is checked once
  const isUnknown = own === undefined && prevResult !== undefined && target.role === "creator";
  if (!isUnknown) return { ...planHandOver(first), leftOut };
  return { do: "checkTwice", call: first, network: listNetwork(call), netns: target.selector.netns, leftOut };
}

function narrowedCheck(call: Call): DelegateCall {
  const { request, prevResult, target, own } = call;
  // The list may have changed since ADD: the leases are in the network of the entry.
  const isOwnType = own?.role === "creator" && own.type === target.delegate;
  const network = isOwnType ? own.delegateNetwork : target.network;
  const subject = { request, target: { ...target, network } };
  if (prevResult === undefined) return delegateCall(subject);
  const attachment = ownAttachment(prevResult, target.selector);
  const others = attachment ? [] : containerInterfaceNames(prevResult);
  // guard: no CHECK passes whose interface is not in prevResult
  if (others.length > 0) throw missingAttachment(target.selector.ifName, others);
  if (attachment === undefined) return withIpam(call, delegateCall(subject));
  const whole = withAdded(prevResult, attachment, own?.done?.added ?? []);
  return withIpam(call, delegateCall(subject, narrowPrevResult(prevResult, whole, target.selector)));
}

// Without addresses of its own, static checks only that there is a prevResult. A newer plugin may do without it.
function withIpam({ session, target }: Call, call: DelegateCall): DelegateCall {
  if (!target.profile?.checkNeedsIpam || goLookup(ipamOf(call.configuration), "type")) return call;
  if (findDelegate(session.host, "static") === undefined) return call;
  return { ...call, configuration: { ...call.configuration, ipam: { type: "static" } } };
}

/** Returns a creator's CHECK without the addresses from routers: no plugin gave them, and the kernel replaces them by itself. */
function withoutRouters(checked: Call, call: DelegateCall): DelegateCall {
  const routed = routedOf(checked);
  const { ips } = resultOf(call);
  // guard: the addresses that CHECK must see
  if (routed.length === 0 || !ips || checked.target.role === "meta") return call;
  return withResult(call, { ...resultOf(call), ips: ips.filter(({ address }) => !routed.includes(address)) });
}

/** The addresses that the interface had from routers when it was added: its creator's entry says so. */
function routedOf({ journal, target }: Call): readonly string[] {
  const { ifName } = target.selector;
  const isMaker = (one: Entry) => one.role === "creator" && one.ifName === ifName && !one.isUndone;
  return journal.entries.findLast(isMaker)?.done?.routed ?? [];
}

/** Returns the CHECK without the MAC of a shared device, unless somebody has set it: it changes with every container. */
function withoutFloatingMac(checked: Call, call: DelegateCall): DelegateCall {
  const device = sharedDeviceOf(checked);
  if (device === undefined) return call;
  const result = resultOf(call);
  const shown = withoutMac(result, device);
  if (shown === result) return call;
  // The plugin may set the MAC of an older bridge when it attaches the next container.
  const wasFixed = checked.own?.done === undefined || checked.own.done.fixedMac === true;
  const isFixed = wasFixed && hasFixedMac(checked, device);
  // guard: a MAC that somebody has set is checked
  const stays = isFixed && !isSetSince(checked, device, macIn(result, device));
  return stays ? call : withResult(call, shown);
}

/** The routing after each ADD that moved routes of this attachment in this namespace. */
function movedRoutings({ journal, facts, request }: Call): MovedRouting[] {
  // For nearly no attachment, the namespace needs a look.
  const isHere = ({ namespace }: Entry) => isSameNamespace(namespace, facts.namespace(request.variables.netns));
  return journal.entries.flatMap((one) => {
    const { done, isUndone } = one;
    // guard: the routes of another namespace say nothing
    if (isUndone || !done?.routing || !isHere(one)) return [];
    return [done.routing];
  });
}

/**
 * Returns the CHECK after routes were moved. A creator looks only in the main table, so it gets prevResult without them. The
 * plugin that moved them does not check them, so the wrapper does: code 105 if something is missing, 106 if the routing
 * cannot be read.
 */
function withoutMovedRoutes(call: Call, checked: DelegateCall): DelegateCall {
  if (call.target.role !== "meta") {
    const movers = movedRoutings(call).map((one) => ownRouting(call, one));
    return movers.length === 0 ? checked : withResult(checked, withoutMoved(resultOf(checked), movers));
  }
  const own = call.own?.done?.routing;
  if (own === undefined) return checked;
  const { ifName, netns } = call.target.selector;
  const present = readRouting(call.session.host, netns);
  // guard: routing that cannot be read does not pass
  if (present === undefined) throw new CniError("routingUnreadable", ifName, `the namespace is ${netns}`);
  const still = withoutReplaced(own, movedRoutings(call).at(-1) ?? own);
  refuseMissing(call, missingRouting({ moved: still, present, ifName, routed: routedOf(call) }, resultOf(checked)));
  return checked;
}

/**
 * Returns a creator's CHECK without routes that the list puts into other tables: the reference plugins look only in the main
 * table (pkg/ip/utils_linux.go, ValidateExpectedRoute), so the wrapper looks for these. Where it cannot, the plugin's answer
 * stands: the main table may have a route alike, such as another interface's default route.
 */
function withoutOtherTables(call: Call, checked: DelegateCall): DelegateCall {
  const { routes } = resultOf(checked);
  if (call.target.profile?.role !== "creator" || !routes?.some(isInOtherTable)) return checked;
  const present = readRouting(call.session.host, call.target.selector.netns);
  if (present === undefined) return checked;
  const listed = routes.filter(isInOtherTable);
  const moved = movedRoutings(call).at(-1);
  // vrf puts back only the routes of the main table: the others are gone since its ADD.
  const gone = moved ? missingRoutes(listed, moved) : [];
  refuseMissing(
    call,
    missingRoutes(listed, present).filter((words) => !gone.includes(words)),
  );
  return withResult(checked, { ...resultOf(checked), routes: routes.filter((one) => !isInOtherTable(one)) });
}

/**
 * Returns a creator's CHECK without routes that the kernel has joined with those of another interface, and that are there: the
 * plugin gets the others.
 */
function withoutJoined(call: Call, checked: DelegateCall): DelegateCall {
  const { prevResult = {}, target, session } = call;
  const { routes } = resultOf(checked);
  if (target.profile?.role !== "creator" || !routes) return checked;
  const isJoined = joinedFinder(prevResult);
  if (!routes.some(isJoined)) return checked;
  // One interface alone is checked as without the wrapper.
  if (containerInterfaceNames(prevResult).length === 1) return checked;
  const present = readRouting(session.host, target.selector.netns);
  if (present === undefined) return checked;
  const isThere = routeFinder(present);
  // guard: a route that is not there is the plugin's to miss
  const shown = routes.filter((one) => !(isJoined(one) && isThere({ ...one, table: "main" })));
  return isAsLong(shown, routes) ? checked : withResult(checked, { ...resultOf(checked), routes: shown });
}

function refuseMissing({ target }: Call, missing: readonly string[]): void {
  // guard: routes that are missing do not pass
  if (missing.length > 0)
    throw new CniError("routingMissing", target.selector.ifName, `missing: ${missing.join(", ")}`);
}

/** The routes through the attachment's own interfaces. A sibling's may have left the main table since, or gone. */
function ownRouting({ prevResult = {}, target }: Call, { routes, rules }: MovedRouting): MovedRouting {
  const names = [target.selector.ifName, ...containerInterfaceNames(prevResult)];
  return { routes: routes.filter(({ dev }) => names.includes(dev)), rules };
}

/**
 * Runs the CHECK of an interface without an entry. If it fails, runs it once more: without routes that a plugin has moved
 * since, and in the list's own network. Returns the exit code.
 */
export function runCheckTwice(checked: Call, plan: CheckTwice): number {
  const { session } = checked;
  const path = locate(session, plan.call);
  let answer = runDelegate(session, { path, call: plan.call, failureLevel: "warn" });
  // guard: a CHECK that fails is not called passed
  if (answer.exitCode === 0) return printed(answer);
  for (const call of laterChecks(checked, plan)) {
    warn(session, `there is no entry of the interface: asking again in the network ${call.configuration.name}`);
    answer = runDelegate(session, { path, call });
    // guard: a CHECK that passes is not run again
    if (answer.exitCode === 0) break;
  }
  return printed(answer);
}

function laterChecks(checked: Call, { call, network, netns }: CheckTwice): DelegateCall[] {
  const before = resultOf(call);
  const moved = readRouting(checked.session.host, netns);
  const result = moved ? withoutMoved(before, [moved]) : before;
  const isAlike = isAsLong(result.ips, before.ips) && isAsLong(result.routes, before.routes);
  const second = withResult(call, result);
  // With a lease here, the list's network has none: its answer would hide why this CHECK failed.
  const isElsewhere = network !== undefined && !hasOwnLease(checked, checked.target.network);
  const inList = isElsewhere ? [{ ...second, configuration: { ...second.configuration, name: network } }] : [];
  return [...(isAlike ? [] : [second]), ...inList];
}

function isAsLong(one: CniResult["ips"] | CniResult["routes"], other: typeof one): boolean {
  return one?.length === other?.length;
}

function resultOf({ configuration }: DelegateCall): CniResult {
  return (configuration.prevResult ?? {}) as CniResult;
}

function withResult(call: DelegateCall, prevResult: CniResult): DelegateCall {
  return { ...call, configuration: { ...call.configuration, prevResult } };
}
