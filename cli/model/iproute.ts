import { addressIn } from "../../shared/attachment/subnet.ts";
import type { Link, Machine, Namespace } from "./machine.ts";
import { isIpv6, subnetOf } from "./network.ts";

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
  const routers = routersAnswer(args);
  if (routers !== undefined) return routers;
  if (first === "netns") return changeNamespace(machine, second, `/run/netns/${name}`);
  if (first === "-netns") return fill(machine.namespaces.get(`/run/netns/${second}`), commands);
  const namespace = machine.namespaces.get(netns ?? "");
  if (first === "-force") return fill(namespace, commands);
  return namespace && routingOf(namespace, second === "-4");
}

/** Returns ip(8)'s output for a wrapper that waits for an address, where a router gave one; undefined for other commands. */
export function routersAnswer(args: readonly string[]): string | undefined {
  const ifname = args.at(-1);
  if (args.at(-2) !== "dev") return undefined;
  const address = { family: "inet6", local: "2001:db8::5", prefixlen: 64, scope: "global", dynamic: true };
  const answer = args.includes("route")
    ? [{ dst: "default", gateway: "fe80::1" }]
    : [{ ifname, flags: ["UP"], addr_info: [address] }];
  return JSON.stringify(answer);
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
    const [, , what = "", named = "", name = ""] = command.split(" ");
    if (command.startsWith("link add name ")) namespace.links.set(named, lentLink(namespace));
    const link = namespace.links.get(name);
    if (!link || !/^address (add|replace) /.test(command) || link.addresses.includes(what)) continue;
    link.addresses = [...link.addresses, what];
    link.routes.push({ dst: subnetOf(what), gw: undefined, isConnected: true });
  }
  return "";
}

/** A link that no attachment has. */
function lentLink({ links, serial }: Namespace): Link {
  return {
    index: links.size + 2,
    kind: "dummy",
    mac: "",
    hostMac: "",
    hostEnd: `lent${serial}`,
    bridge: undefined,
    addresses: [],
    routes: [],
    attributes: new Map(),
    shaper: undefined,
    by: new Map(),
  };
}

/** The routes, rules and addresses of a family, as JSON. */
function routingOf({ links, sources }: Namespace, isIpv4: boolean): string {
  const isMeant = (address: string) => isIpv6(address) !== isIpv4;
  const routes = [...links].flatMap(([dev, link]) =>
    link.routes
      .filter(({ dst }) => isMeant(dst))
      .map(({ dst, gw, table }) => ({
        dst: dst.endsWith("/0") ? "default" : dst,
        dev,
        ...(gw !== undefined && { gateway: gw }),
        table: table === undefined ? "main" : tableOf(table),
      })),
  );
  const rules = [...sources.keys()].filter(isMeant).map((one) => ({ src: addressIn(one), table: tableOf(one) }));
  const listed = [...links].map(([ifname, { addresses }]) => ({
    ifname,
    addr_info: addresses.filter(isMeant).map((address) => {
      const [local = "", length] = address.split("/");
      return { local, prefixlen: Number(length) };
    }),
  }));
  return [routes, rules, listed].map((one) => `${JSON.stringify(one)}\n`).join("");
}

/** The number of the table of an address, or the number that a list says. */
function tableOf(table: string): string {
  return /^\d+$/.test(table) ? table : `1${table.replace(/\D/g, "")}`;
}
