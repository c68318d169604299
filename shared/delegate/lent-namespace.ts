import type { Host } from "../host/host.ts";
import { type JsonObject, objectsOf, parseJsonList } from "../protocol/json.ts";

/** An interface that is gone. */
export interface LostInterface {
  readonly ifName: string;
  /** Such as `172.26.64.2/20`. */
  readonly addresses: readonly string[];
}

/** The directory in which ip(8) gives namespaces their names. */
export const namespaceDirectory = "/run/netns";

/** Whether a name is that of a lent namespace whose process was killed, and could not remove it. */
export function isAbandoned(name: string, host: Pick<Host, "stat">): boolean {
  const [, pid] = /^cni-wrappers-(\d+)-\d+$/.exec(name) ?? [];
  // With hidepid, or without /proc, nobody knows who runs.
  // guard: the namespace that a DEL uses at the moment
  return pid !== undefined && host.stat(`/proc/${pid}`) === undefined && host.stat("/proc/1/stat") !== undefined;
}

/**
 * Runs an action with the path of a namespace of its own, in which an interface has the name and the addresses. bridge's and
 * ptp's DEL find their masquerading rules only by the addresses of the interface (plugins#810). The path is undefined
 * if there can be no such namespace: without iproute2, for example.
 */
export function inLentNamespace<T>(host: Host, lost: LostInterface, action: (netns: string | undefined) => T): T {
  const left = (host.listDirectory(namespaceDirectory) ?? []).filter((one) => isAbandoned(one, host));
  for (const one of left) host.ip(["netns", "delete", one], "");
  const name = `cni-wrappers-${host.pid}-${host.now()}`;
  if (host.ip(["netns", "add", name], "") === undefined) return action(undefined);
  try {
    const { ifName, addresses } = lost;
    const commands = [
      // Without "name", ip(8) takes some names for words of its own.
      `link add name ${ifName} type veth peer name ${ifName === "lent" ? "lent1" : "lent"}`,
      ...addresses.map((address) => `address add ${address} dev ${ifName}`),
    ];
    const isReady = host.ip(["-netns", name, "-batch", "-"], `${commands.join("\n")}\n`) !== undefined;
    return action(isReady ? `${namespaceDirectory}/${name}` : undefined);
  } finally {
    host.ip(["netns", "delete", name], "");
  }
}

/** Gives an interface back the addresses that it has lost, because somebody flushed them, for example. */
export function giveAddressesBack(host: Host, { ifName, addresses }: LostInterface, netns: string): void {
  const commands = addresses.map((address) => `address replace ${address} dev ${ifName}\n`);
  if (commands.length > 0) host.ip(["-force", "-batch", "-"], commands.join(""), netns);
}

/** Reads an interface and its addresses with ip(8), as its JSON has them; undefined if that fails. */
export function readInterface(host: Host, ifName: string, netns: string): JsonObject | undefined {
  const links = parseJsonList(host.ip(["-json", "address", "show", "dev", ifName], "", netns) ?? "");
  // ip(8) accepts alternative names, too.
  return links?.find(({ ifname }) => ifname === ifName);
}

/** Reads the addresses of an interface that are not link-local, such as `172.26.64.2/20`; none if that fails. */
export function addressesOn(host: Host, ifName: string, netns: string): readonly string[] {
  const listed = objectsOf(readInterface(host, ifName, netns)?.addr_info);
  return listed.flatMap(({ scope, local, prefixlen }) => (scope === "global" ? [`${local}/${prefixlen}`] : []));
}
