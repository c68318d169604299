import type { Host } from "../host/host.ts";
import { parseRouting, type Routing, routingCommands } from "../journal/routing.ts";

/** Reads the routes, rules and addresses of a network namespace; undefined if iproute2 is missing or fails. */
export function readRouting(host: Host, netns: string): Routing | undefined {
  const [ipv4, ipv6] = ["-4", "-6"].map((family) => host.ip(["-json", family, "-batch", "-"], routingCommands, netns));
  return ipv4 === undefined || ipv6 === undefined ? undefined : parseRouting(ipv4, ipv6);
}
