import { containerInterfaceNames, missingAttachment, ownAttachment, withAdded } from "../attachment/attachments.ts";
import { narrowPrevResult } from "../attachment/narrow.ts";
import type { Call } from "../call/call.ts";
import { type DelegateCall, delegateCall } from "../call/delegate-call.ts";
import { hasOwnLease, listNetwork } from "../call/networks.ts";
import type { CheckTwice, HandOver, LeftOut } from "../call/plan.ts";
import { warn } from "../call/session.ts";
import { findDelegate } from "../delegate/find-delegate.ts";
import { locateDelegate, prepareCall, printAnswer, runDelegate } from "../delegate/run-delegate.ts";
import { type Entry, isSameNamespace, isStanding } from "../journal/journal.ts";
import {
  joinedFinder,
  type MovedRouting,
  missingRoutes,
  missingRouting,
  readRouting,
  routeFinder,
  withoutMoved,
  withoutReplaced,
} from "../journal/routing.ts";
import { hasFixedMac, macIn, readDevice, sharedDeviceName, withoutMac } from "../plugin/profile.ts";
import { CniError } from "../protocol/errors.ts";
import { goLookup, ipamOf } from "../protocol/json.ts";
import { type CniResult, isInOtherTable } from "../protocol/result.ts";

/** What is left out of CHECK's prevResult. Each returns the same object if it leaves nothing out. */
const steps: readonly (readonly [LeftOut, (call: Call, result: CniResult) => CniResult])[] = [
  ["routers' addresses", withoutRouters],
  ["MAC", withoutFloatingMac],
  ["routes of other tables", withoutOtherTables],
  ["joined routes", withoutJoined],
];

/**
 * Plans CHECK: prevResult narrowed to the delegate's attachment, without what an intact attachment would fail for. An interface
 * without an entry was made by something else, such as a script. Its leases are under the list's own name, so a failed
 * CHECK is run again under that name. Code 103 if the interface is not in prevResult, 105 if its routing has changed, 106 if that
 * cannot be read.
 */
export function planCheck(call: Call): HandOver | CheckTwice {
  const { own, prevResult, session, target } = call;
  const leftOut: LeftOut[] = [];
  let shown = prevResult && narrowed(call, prevResult);
  for (const [what, without] of steps) {
    const before = shown;
    shown = before && without(call, before);
    if (shown !== before) leftOut.push(what);
  }
  const prepared = prepareCall(session, checkCall(call, shown));
  const first = withoutMovedRoutes(call, prepared);
  if (first !== prepared) leftOut.push("moved routes");
  const network = listNetwork(call);
  const mayDiffer = target.role === "creator" || network !== undefined;
  // guard: a plugin with an entry is checked once
  const isUnknown = own === undefined && prevResult !== undefined && mayDiffer;
  if (!isUnknown) return { do: "handOver", call: first, leftOut };
  return { do: "checkTwice", call: first, network, netns: target.selector.netns, leftOut };
}

function narrowed({ target, own }: Call, prevResult: CniResult): CniResult {
  const attachment = ownAttachment(prevResult, target.selector);
  const others = attachment ? [] : containerInterfaceNames(prevResult);
  // guard: no CHECK passes whose interface is not in prevResult
  if (others.length > 0) throw missingAttachment(target.selector.ifName, others);
  if (attachment === undefined) return prevResult;
  const added = own?.done?.added;
  const whole = added ? withAdded(prevResult, attachment, added) : attachment;
  return narrowPrevResult(prevResult, whole, target.selector);
}

/** The network in which the plugin ran: the list may have changed since ADD, and the leases and chains are in that of the entry. */
function networkOfAdd({ journal, target, own }: Call): string {
  const isIts = ({ type, ifName }: Entry) => type === target.delegate && ifName === target.selector.ifName;
  if (own === undefined || !isIts(own)) return target.network;
  // If the blocks of two chained plugins of an interface were edited, the entry may be the other one's.
  const isHere = (one: Entry) => one.role === "meta" && isIts(one) && one.delegateNetwork === target.network;
  return journal.entries.some((one) => isStanding(one) && isHere(one)) ? target.network : own.delegateNetwork;
}

function checkCall(checked: Call, shown: CniResult | undefined): DelegateCall {
  const { request, session, target } = checked;
  const call = delegateCall({ request, target: { ...target, network: networkOfAdd(checked) } }, shown);
  if (!shown || !target.profile?.checkNeedsIpam || goLookup(ipamOf(call.configuration), "type")) return call;
  // Without addresses of its own, static checks only that there is a prevResult. A newer plugin may do without it.
  if (findDelegate(session.host, "static") === undefined) return call;
  return { ...call, configuration: { ...call.configuration, ipam: { type: "static" } } };
}

/** Leaves out a creator's addresses from routers: no plugin gave them, and the kernel replaces them by itself. */
function withoutRouters(call: Call, result: CniResult): CniResult {
  const routed = routedOf(call);
  const { ips } = result;
  // guard: the addresses that CHECK must see
  if (routed.length === 0 || !ips || call.target.role === "meta") return result;
  return { ...result, ips: ips.filter(({ address }) => !routed.includes(address)) };
}

/** The addresses that the interface had from routers when it was added: its creator's entry says so. */
function routedOf({ journal, target }: Call): readonly string[] {
  const { ifName } = target.selector;
  const isMaker = (one: Entry) => one.role === "creator" && one.ifName === ifName && !one.isUndone;
  return journal.entries.findLast(isMaker)?.done?.routed ?? [];
}

/** Leaves out the MAC of a shared device, unless somebody has set it: otherwise it changes with every container. */
function withoutFloatingMac(call: Call, result: CniResult): CniResult {
  const { own, request, session, target } = call;
  const device = sharedDeviceName(target.profile, request.configuration);
  const shown = device === undefined ? result : withoutMac(result, device);
  if (device === undefined || shown === result) return result;
  // The plugin may set the MAC of an older bridge when it attaches the next container.
  const wasFixed = own?.done === undefined || own.done.fixedMac === true;
  const isFixed = wasFixed && hasFixedMac(session.host, device);
  // guard: a MAC that somebody has set is checked
  return isFixed && !isSetSince(call, device, macIn(result, device)) ? result : shown;
}

/**
 * Whether another plugin has set a device's MAC since ADD reported it: another attachment's result has the device's present MAC.
 * Each bridge 1.10.0 sets the MAC that it read when it began, and a slow one had read it before somebody else set it
 * (ensureAddr in plugins/main/bridge/bridge.go).
 */
function isSetSince({ session, facts }: Call, device: string, reported: string | undefined): boolean {
  const present = readDevice(session.host, device, "address");
  if (!present || present === reported) return false;
  return facts.allResults().some(({ result }) => macIn(result, device) === present);
}

/** The routing after each ADD that moved routes of this attachment in this namespace. */
function movedRoutings({ journal, facts, request }: Call): MovedRouting[] {
  // Nearly no attachment has such routes, so the namespace is rarely read.
  const isHere = ({ namespace }: Entry) => isSameNamespace(namespace, facts.namespace(request.variables.netns));
  return journal.entries.flatMap((one) =>
    // guard: the routes of another namespace say nothing
    one.isUndone || !one.done?.routing || !isHere(one) ? [] : one.done.routing,
  );
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
 * Leaves out a creator's routes that the list puts into other tables: the reference plugins look only in the main
 * table (pkg/ip/utils_linux.go, ValidateExpectedRoute), so the wrapper looks for these. Where it cannot, the plugin's answer
 * stands: the main table may have a similar route, such as another interface's default route.
 */
function withoutOtherTables(call: Call, result: CniResult): CniResult {
  const { routes } = result;
  if (call.target.profile?.role !== "creator" || !routes?.some(isInOtherTable)) return result;
  const present = readRouting(call.session.host, call.target.selector.netns);
  if (present === undefined) return result;
  const listed = routes.filter(isInOtherTable);
  const moved = movedRoutings(call).at(-1);
  // vrf puts back only the routes of the main table: the others are gone since its ADD.
  const gone = moved ? missingRoutes(listed, moved) : [];
  const missing = missingRoutes(listed, present).filter((words) => !gone.includes(words));
  refuseMissing(call, missing);
  return { ...result, routes: routes.filter((one) => !isInOtherTable(one)) };
}

/**
 * Leaves out a creator's routes that the kernel has joined with those of another interface, if they are there. The plugin
 * gets the others.
 */
function withoutJoined({ prevResult = {}, target, session }: Call, result: CniResult): CniResult {
  const { routes } = result;
  // The kernel joins only IPv6 routes.
  if (target.profile?.role !== "creator" || !routes?.some(({ gw }) => gw?.includes(":"))) return result;
  const isJoined = joinedFinder(prevResult);
  if (!routes.some(isJoined)) return result;
  // One interface alone is checked as without the wrapper.
  if (containerInterfaceNames(prevResult).length === 1) return result;
  const present = readRouting(session.host, target.selector.netns);
  if (present === undefined) return result;
  const isThere = routeFinder(present);
  // guard: a route that is not there is the plugin's to miss
  const shown = routes.filter((one) => !(isJoined(one) && isThere({ ...one, table: "main" })));
  return isAsLong(shown, routes) ? result : { ...result, routes: shown };
}

function refuseMissing({ target }: Call, missing: readonly string[]): void {
  // guard: routes that are missing do not pass
  if (missing.length > 0)
    throw new CniError("routingMissing", target.selector.ifName, `missing: ${missing.join(", ")}`);
}

/** The routes through the attachment's own interfaces. A sibling's routes may have left the main table since, or be gone. */
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
  const path = locateDelegate(session, plan.call);
  let answer = runDelegate(session, { path, call: plan.call, failureLevel: "warn" });
  // guard: a CHECK that fails is not called passed
  if (answer.exitCode === 0) return printAnswer(answer);
  for (const call of laterChecks(checked, plan)) {
    warn(session, `the journal has no entry of the interface: asking again in the network ${call.configuration.name}`);
    answer = runDelegate(session, { path, call });
    // guard: a CHECK that passes is not run again
    if (answer.exitCode === 0) break;
  }
  return printAnswer(answer);
}

function laterChecks(checked: Call, { call, network, netns }: CheckTwice): DelegateCall[] {
  const before = resultOf(call);
  // guard: a chained plugin is asked about all addresses
  const moved = checked.target.role === "creator" ? readRouting(checked.session.host, netns) : undefined;
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
