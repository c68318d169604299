import type { Host } from "../host/host.ts";
import type { DelegateCall } from "../plan/call.ts";
import { CniError } from "../protocol/errors.ts";
import type { CniResult } from "../protocol/result.ts";
import { namespaceOf, type RoutingPlan, routingFile } from "../record/record.ts";
import {
  missingRouting,
  parseRouting,
  parseRoutingRecord,
  type Routing,
  routingCommands,
  withoutMoved,
} from "../record/routing.ts";
import { type Session, say } from "./session.ts";

/** Records on the host where the routes are, after the ADD of a plugin that moves routes. */
export function writeRoutingRecord(session: Session, { key, netns }: RoutingPlan): void {
  const { host } = session;
  const { network, containerId, runtimeIfName } = key;
  const present = readRouting(host, netns);
  const namespace = namespaceOf(host.stat(netns));
  if (present === undefined || namespace === undefined) {
    say(session, "warn", "CHECK will not find the moved routes: they cannot be read, is iproute2 (ip) installed?");
    return;
  }
  const { routes, rules } = present;
  const record = { network, containerId, runtimeIfName, namespace, routes, rules };
  const problem = host.writeFile(routingFile(key), `${JSON.stringify(record)}\n`);
  if (problem !== undefined) say(session, "warn", `CHECK will not find the moved routes: ${problem}`);
}

/**
 * Returns the CHECK for a delegate after routes were moved; `text` is the record. A creator looks only in the main table,
 * so it gets prevResult without the moved routes. The plugin that moved them does not check them, so the wrapper does: code
 * 105 if something is missing, 106 if the routing cannot be read.
 */
export function checkRouting(host: Host, call: DelegateCall, plan: RoutingPlan, text: string): DelegateCall {
  const { key, netns, of } = plan;
  const record = parseRoutingRecord(text, namespaceOf(host.stat(netns)) ?? "");
  if (record === undefined) return call;
  const prevResult = (call.configuration?.prevResult ?? {}) as CniResult;
  if (of === "creator")
    return { ...call, configuration: { ...call.configuration, prevResult: withoutMoved(prevResult, record) } };
  const present = readRouting(host, netns);
  if (present === undefined) throw new CniError("routingUnreadable", key.ifName, `the namespace is ${netns}`);
  const missing = missingRouting(record, present, prevResult, key.ifName);
  if (missing.length > 0) throw new CniError("routingMissing", key.ifName, `missing: ${missing.join(", ")}`);
  return call;
}

function readRouting(host: Host, netns: string): Routing | undefined {
  const [ipv4, ipv6] = [host.ip(netns, 4, routingCommands), host.ip(netns, 6, routingCommands)];
  return ipv4 === undefined || ipv6 === undefined ? undefined : parseRouting(ipv4, ipv6);
}
