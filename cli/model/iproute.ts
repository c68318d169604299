import type { Link, Machine, Namespace } from "./machine.ts";
import { withoutPrefix } from "./plugin.ts";

/** A run of ip(8). */
export interface IpRun {
  readonly args: readonly string[];
  /** Its stdin. */
  readonly commands: string;
  /** The namespace that it runs in, by path; undefined for the host's own. */
  readonly netns: string | undefined;
}

/** Returns the output of ip(8), as far as the wrappers use it; undefined if it fails. */
export function ip(machine: Machine, { args, commands, netns }: IpRun): string | undefined {
  const [first, second = "", name = ""] = args;
  if (first === "netns") return changeNamespace(machine, second, `/run/netns/${name}`);
  if (first === "-netns") return fill(machine.namespaces.get(`/run/netns/${second}`), commands);
  const namespace = machine.namespaces.get(netns ?? "");
  if (first === "-force") return fill(namespace, commands);
  return namespace && routingOf(namespace, second === "-4");
}

/** Returns the mounts of the host's namespaces, as /proc/self/mountinfo lists them. */
export function mountsOf({ namespaces }: Machine): string {
  return [...namespaces].map(([path, { inode }]) => `1 1 0:4 net:[${inode}] ${path} rw - nsfs nsfs rw\n`).join("");
}

function changeNamespace(machine: Machine, change: string, path: string): string | undefined {
  if (machine.namespaces.has(path) === (change === "add")) return undefined;
  if (change === "add") machine.addNamespace(path);
  else machine.removeNamespace(path);
  return "";
}

function fill(namespace: Namespace | undefined, commands: string): string | undefined {
  if (!namespace) return undefined;
  for (const command of commands.trim().split("\n")) {
    const [, , what = "", , name = ""] = command.split(" ");
    if (command.startsWith("link add ")) namespace.links.set(what, lentLink(namespace));
    const link = namespace.links.get(name);
    if (link && /^address (add|replace) /.test(command)) link.addresses = [...new Set([...link.addresses, what])];
  }
  return "";
}

/** A link that no attachment has. */
function lentLink({ links, serial }: Namespace): Link {
  const attributes = new Map<string, number>();
  const by = new Map<string, string>();
  return { index: links.size + 2, hostEnd: `lent${serial}`, addresses: [], attributes, shaper: undefined, by };
}

/** The routes, rules and addresses, as JSON. All addresses of the model are IPv4. */
function routingOf({ links, sources }: Namespace, isIpv4: boolean): string {
  const tables = new Map([...sources.keys()].map((address) => [address, `1${address.replace(/\D/g, "")}`]));
  const own = isIpv4 ? [...links].map(([dev, { addresses }]) => ({ dev, addresses })) : [];
  const routes = own.flatMap(({ dev, addresses }) =>
    addresses.map((address) => ({ dst: subnetOf(address), dev, table: tables.get(address) ?? "main" })),
  );
  const rules = isIpv4 ? [...tables].map(([address, table]) => ({ src: withoutPrefix(address), table })) : [];
  const listed = own.map(({ dev, addresses }) => ({
    ifname: dev,
    addr_info: addresses.map((address) => ({ local: withoutPrefix(address), prefixlen: 24 })),
  }));
  return [routes, rules, listed].map((one) => `${JSON.stringify(one)}\n`).join("");
}

/** Returns `10.1.0.0/24` for `10.1.0.2/24`. */
function subnetOf(address: string): string {
  return address.replace(/\d+\/24$/, "0/24");
}
