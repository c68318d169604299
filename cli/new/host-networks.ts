import { existsSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { listDirectory, readFile } from "../../shared/host/node/files.ts";

/** The networks of a host, as far as a new list depends on them. */
export interface HostNetworks {
  /** Interfaces that can carry a macvlan, the one with the default route first. Addresses are in CIDR notation. */
  readonly interfaces: readonly { readonly name: string; readonly addresses: readonly string[] }[];
  /** The gateway of the default route, if it leads to the first interface. */
  readonly gateway: string | undefined;
  /** Every subnet that the host has an address in, or a route to. */
  readonly subnets: readonly string[];
}

/** Reads the networks of this host. What cannot be read is missing. */
export function readHostNetworks(): HostNetworks {
  const addresses = new Map(
    Object.entries(networkInterfaces()).map(([name, list = []]) => [name, list.flatMap(({ cidr }) => cidr ?? [])]),
  );
  const routes = parseRoutes(readFile("/proc/net/route") ?? "");
  const main = routes.find(({ subnet }) => subnet === "0.0.0.0/0");
  const names = listDirectory("/sys/class/net").filter(canCarry);
  const sorted = [...names].sort((one, other) => Number(other === main?.name) - Number(one === main?.name));
  return {
    interfaces: sorted.map((name) => ({ name, addresses: addresses.get(name) ?? [] })),
    gateway: main?.name === sorted[0] ? main?.gateway : undefined,
    subnets: [...[...addresses.values()].flat(), ...routes.map(({ subnet }) => subnet)].filter(
      (one) => one !== "0.0.0.0/0",
    ),
  };
}

/** Parses /proc/net/route: a line for each route, addresses as hexadecimal numbers in the order of the machine's bytes. */
export function parseRoutes(text: string): readonly { name: string; subnet: string; gateway: string }[] {
  return text
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      const [name, destination = "", gateway = "", , , , , mask = ""] = line.split("\t");
      if (!name || !destination) return [];
      const length = [...bitsOf(mask)].filter((bit) => bit === "1").length;
      return [{ name, subnet: `${dotted(destination)}/${length}`, gateway: dotted(gateway) }];
    });
}

/** A port of a bridge, a bridge, and lo cannot carry one, or should not. */
function canCarry(name: string): boolean {
  const has = (part: string) => existsSync(`/sys/class/net/${name}/${part}`);
  return name !== "lo" && !has("bridge") && !has("brport") && !has("tun_flags") && existsSync(`/sys/class/net/${name}`);
}

function dotted(hexadecimal: string): string {
  const bytes = hexadecimal.match(/../g) ?? [];
  return bytes
    .reverse()
    .map((byte) => Number.parseInt(byte, 16))
    .join(".");
}

function bitsOf(hexadecimal: string): string {
  return Number.parseInt(hexadecimal, 16).toString(2);
}
