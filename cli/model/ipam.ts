import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import type { Machine } from "./machine.ts";
import { namesOf, type PluginCall, PluginError, type Steps, withoutPrefix } from "./plugin.ts";

/** An IPAM plugin. It has a plugin's verbs, but only addresses. */
export interface Ipam {
  reserve(machine: Machine, call: PluginCall): Steps<string>;
  check(machine: Machine, call: PluginCall): void;
  release(machine: Machine, call: PluginCall): void;
}

/** Returns the IPAM plugin of a configuration. */
export function ipamOf(config: JsonObject): Ipam {
  const ipam = ipams[String(subnetBlock(config).type)];
  if (!ipam) throw new PluginError("no plugin name provided");
  return ipam;
}

const ipams: Readonly<Record<string, Ipam>> = {
  "host-local": {
    *reserve(machine, call) {
      const { containerId, ifName, network } = namesOf(call);
      const directory = `${leaseDirectory}/${network}`;
      const base = baseOf(call.config);
      const asked = askedFor(call.config);
      // An address that is asked for may be a second one: only the others are refused (allocator.go, Get).
      if (asked === undefined && ownLeases(machine, call).length > 0) {
        throw new PluginError("duplicate allocation is not allowed");
      }
      if (asked !== undefined && !asked.startsWith(base)) throw new PluginError("failed to allocate all requested IPs");
      const directories = machine.isOnePool
        ? machine.list(leaseDirectory).map((name) => `${leaseDirectory}/${name}`)
        : [];
      const isFree = (address: string) =>
        [directory, ...directories].every((one) => !machine.files.has(`${one}/${address}`));
      const last = machine.files.get(`${directory}/last_reserved_ip.0`)?.text;
      const address = asked ?? nextFree(base, last, isFree);
      if (!isFree(address)) throw new PluginError(`requested IP address ${address} is not available`);
      machine.writeFile(`${directory}/${address}`, `${containerId}\r\n${ifName}`);
      yield "reserved";
      machine.writeFile(`${directory}/last_reserved_ip.0`, address, true);
      return `${address}/24`;
    },
    check(machine, call) {
      if (ownLeases(machine, call).length === 0) throw new PluginError("host-local: Failed to find address");
    },
    release(machine, call) {
      for (const file of ownLeases(machine, call)) machine.files.delete(file);
    },
  },
  static: {
    // biome-ignore lint/correctness/useYield: it does nothing on the host
    *reserve(_, { config }) {
      return String(subnetBlock(config).address);
    },
    check() {},
    release() {},
  },
  // The daemon keeps one lease for a client, and gives it out again (plugins/ipam/dhcp/daemon.go, Allocate).
  dhcp: {
    *reserve(machine, call) {
      const client = clientId(call);
      const base = baseOf(call.config);
      const taken = [...machine.dhcp.values()].map(({ address }) => address);
      const known = machine.dhcp.get(client);
      const address = known?.address ?? nextFree(base, undefined, (one) => !taken.includes(one));
      const by = new Map([...(known?.by ?? []), ...machine.makers()]);
      machine.dhcp.set(client, { address, by });
      yield "acquired";
      return `${address}/24`;
    },
    check() {},
    release(machine, call) {
      machine.dhcp.delete(clientId(call));
    },
  },
};

/** The directory of host-local's leases: a directory for each network, a file for each address. */
export const leaseDirectory = "/var/lib/cni/networks";

/** Returns the files of host-local's leases for an interface, in all networks. */
export function leasesOf({ files }: Machine, containerId: string, ifName: string): string[] {
  const owner = `${containerId}\r\n${ifName}`;
  // Most files are others': this is the fastest way to see that.
  return [...files].flatMap(([path, { text }]) => (text === owner && path.startsWith(leaseDirectory) ? [path] : []));
}

/** Whether an interface other than an owner's (`c1\r\neth0`) has one of host-local's leases of an address. */
export function isLeasedByOther({ files }: Machine, owner: string, address: string): boolean {
  const name = `/${withoutPrefix(address)}`;
  return [...files].some(
    ([path, { text }]) => path.startsWith(leaseDirectory) && path.endsWith(name) && text !== owner,
  );
}

/** Whether an IPAM plugin keeps an address for an interface. */
export function isLeased(
  machine: Machine,
  ipam: string,
  containerId: string,
  ifName: string,
  address: string,
): boolean {
  const name = `/${withoutPrefix(address)}`;
  if (ipam === "host-local") return leasesOf(machine, containerId, ifName).some((path) => path.endsWith(name));
  const isOwn = ([client, lease]: [string, { address: string }]) =>
    client.startsWith(`${containerId}/`) && client.endsWith(`/${ifName}`) && `${lease.address}/24` === address;
  return ipam !== "dhcp" || [...machine.dhcp].some(isOwn);
}

function ownLeases(machine: Machine, call: PluginCall): string[] {
  const { containerId, ifName, network } = namesOf(call);
  return leasesOf(machine, containerId, ifName).filter((path) => path.startsWith(`${leaseDirectory}/${network}/`));
}

function clientId(call: PluginCall): string {
  const { containerId, network, ifName } = namesOf(call);
  return `${containerId}/${network}/${ifName}`;
}

function subnetBlock({ ipam }: JsonObject): JsonObject {
  return isJsonObject(ipam) ? ipam : {};
}

/** Returns `10.1.0.` for the subnet `10.1.0.0/24`. */
function baseOf(config: JsonObject): string {
  return String(subnetBlock(config).subnet).replace(/0\/24$/, "");
}

function askedFor({ args }: JsonObject): string | undefined {
  const cni = isJsonObject(args) ? args.cni : undefined;
  const ips = isJsonObject(cni) ? cni.ips : undefined;
  return Array.isArray(ips) ? String(ips[0]).replace(/\/.*/, "") : undefined;
}

/** The last number of a subnet. So few that a container soon gets an address that another one had. */
const lastNumber = 9;

/** Returns the next free address after the last one, as host-local goes round. */
function nextFree(base: string, last: string | undefined, isFree: (address: string) => boolean): string {
  const start = last?.startsWith(base) ? Number(last.slice(base.length)) : 1;
  const count = lastNumber - 1;
  for (let step = 0; step < count; step++) {
    const address = `${base}${2 + ((start - 1 + step) % count)}`;
    if (isFree(address)) return address;
  }
  throw new PluginError("no IP addresses available in range set");
}
