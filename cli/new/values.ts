import { createHash } from "node:crypto";
import { type Link, readLinks } from "../host/links.ts";
import { runProgram } from "../host/programs.ts";
import { addressOf, addressText, cidrOf, contains, overlaps, type Range, rangeOf } from "../lists/addresses.ts";

export type ValueName =
  | ("name" | "cniVersion" | "master" | "lan" | "gateway" | "lanStart" | "lanEnd")
  | ("bridge" | "subnet" | "subnet6" | "adminChain");

/** The values of a new list. */
export type Values = { readonly [name in ValueName]?: string };

interface Field {
  /** The description of the option. */
  readonly message: string;
  /** An example, if the value is a subnet. */
  readonly example?: string;
  /** Suggests a value from the values before it and from the host; undefined if there is none to suggest. */
  suggest(values: Values, host: HostNetworks): string | undefined;
}

const ipv4 = "10.1.0.0/24";

/** All values, and where they come from if no option has them. */
export const fields: Readonly<Record<ValueName, Field>> = {
  name: { message: "name of the list", suggest: ({ name }) => name },
  cniVersion: { message: "version of the specification", suggest: () => "1.0.0" },
  master: {
    message: "host interface that carries macvlan",
    suggest: (_, { interfaces }) => interfaces[0]?.name,
  },
  lan: {
    message: "subnet of the network at that interface",
    example: ipv4,
    suggest: ({ master }, { interfaces }) => {
      const addresses = interfaces.find(({ name }) => name === master)?.addresses ?? [];
      return addresses.map(subnetText).find((subnet) => subnet !== undefined);
    },
  },
  gateway: {
    message: "gateway of that subnet",
    suggest: (values, { gateway }) => {
      const subnet = cidrOf(values.lan);
      return subnet && contains(subnet, addressOf(gateway)) ? gateway : textOf(lanOf(values).first + 1n);
    },
  },
  lanStart: {
    message: "first address of that subnet for containers",
    suggest: (values, host) => textOf(partOf(values, host).first),
  },
  lanEnd: {
    message: "last address of that subnet for containers",
    suggest: (values, host) => {
      const part = partOf(values, host);
      const isSuggested = values.lanStart === textOf(part.first);
      return textOf(isSuggested ? part.last : lanOf(values).last - 1n);
    },
  },
  bridge: {
    message: "name of the bridge on the host",
    suggest: ({ name }) => `br-${name}`.slice(0, 15),
  },
  subnet: {
    message: "subnet of the bridge",
    example: ipv4,
    suggest: ({ lan }, { subnets }) => freeSubnet([...subnets, lan].flatMap((one) => parseSubnet(one) ?? [])),
  },
  subnet6: {
    message: "IPv6 subnet of the bridge",
    example: "fd00:1::/64",
    suggest: ({ name = "" }) => uniqueLocal(name),
  },
  adminChain: { message: "iptables chain with an administrator's own rules", suggest: () => "NOMAD-ADMIN" },
};

/** Returns the option of a value, as it is written on the command line. */
export function optionOf(name: ValueName): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The LAN as numbers. Each value is checked before the next one is suggested, so it is a subnet by then. */
function lanOf({ lan }: Values): Range {
  return parseSubnet(lan) as Range;
}

/** The part of the LAN's upper half that is free, as far as the host knows. */
function partOf(values: Values, { interfaces }: HostNetworks): Range {
  const taken = [values.gateway, ...interfaces.flatMap(({ addresses }) => addresses.map((one) => one.split("/")[0]))];
  const numbers = taken.map(addressOf).flatMap((ip) => (ip?.bits === 32 ? ip.value : []));
  return freePart(lanOf(values), numbers);
}

/** The IPv4 subnet of an address; undefined if host-local cannot use it, because it needs at least four addresses. */
function subnetText(cidr: string): string | undefined {
  const range = parseSubnet(cidr);
  const [, length] = cidr.split("/");
  return range?.bits === 32 && Number(length) <= 30 ? `${textOf(range.first)}/${length}` : undefined;
}

function textOf(value: bigint): string {
  return addressText({ bits: 32, value });
}

/** A unique local subnet (RFC 4193) that is always the same for one name. */
function uniqueLocal(name: string): string {
  const hash = createHash("sha256").update(name).digest("hex");
  return `fd${hash.slice(0, 2)}:${hash.slice(2, 6)}:${hash.slice(6, 10)}::/64`;
}

/** Parses a subnet in CIDR notation; undefined if it is none. The address may be one inside. */
export function parseSubnet(text: string | undefined): Range | undefined {
  const cidr = cidrOf(text);
  return cidr && rangeOf(cidr);
}

/** Returns the first private subnet, of 4,094 addresses, that overlaps none of the others; undefined if all are taken. */
export function freeSubnet(taken: readonly Range[]): string | undefined {
  return candidates.find((candidate) => {
    const range = parseSubnet(candidate);
    return range && !taken.some((other) => overlaps(range, other));
  });
}

// 172.26.64.0/20 is missing, because it is Nomad's own.
const candidates = [
  ...Array.from({ length: 11 }, (_, index) => `172.26.${80 + 16 * index}.0/20`),
  ...Array.from({ length: 1024 }, (_, index) => `10.${64 + (index >> 4)}.${16 * (index & 15)}.0/20`),
];

/** The longest part of the upper half of a subnet that has none of these addresses, and not the last address. */
export function freePart({ bits, first, last }: Range, taken: readonly bigint[]): Range {
  const middle = first + (last - first + 1n) / 2n;
  const bounds = [middle - 1n, ...taken.filter((value) => value >= middle && value < last), last].sort((one, other) =>
    Number(one - other),
  );
  const gaps = bounds.slice(1).map((end, index) => ({ bits, first: (bounds[index] ?? 0n) + 1n, last: end - 1n }));
  return gaps.reduce((best, gap) => (gap.last - gap.first > best.last - best.first ? gap : best));
}

/** The networks of a host, as far as a new list depends on them. */
export type HostNetworks = Readonly<Awaited<ReturnType<typeof readHostNetworks>>>;

/** Reads the networks of this host with ip(8). What cannot be read is missing. */
export async function readHostNetworks() {
  const { passed, stdout } = runProgram("ip", ["-json", "route", "show"]);
  const routes: readonly { dst: string; gateway?: string; dev?: string }[] = passed ? JSON.parse(stdout || "[]") : [];
  const links = (await readLinks()) ?? [];
  const main = routes.find(({ dst }) => dst === "default");
  const carriers = links.filter(canCarry).map((link) => ({ name: link.ifname, addresses: addressesOf(link) }));
  const interfaces = carriers.sort((one, other) => Number(other.name === main?.dev) - Number(one.name === main?.dev));
  return {
    links,
    /** Those that can carry a macvlan, the one with the default route first. Addresses are in CIDR notation. */
    interfaces,
    /** Of the default route, if it leads to the first interface. */
    gateway: main?.dev === interfaces[0]?.name ? main?.gateway : undefined,
    /** Every subnet that the host has an address in, or a route to. */
    subnets: [...links.flatMap(addressesOf), ...routes.map(({ dst }) => dst)],
  };
}

/** A bridge, a port of one, a tap and lo cannot carry one, or should not. */
function canCarry({ ifname, master, linkinfo }: Link): boolean {
  return ifname !== "lo" && master === undefined && !["bridge", "tun"].includes(linkinfo?.info_kind ?? "");
}

function addressesOf({ addr_info = [] }: Link): readonly string[] {
  return addr_info.map(({ local, prefixlen }) => `${local}/${prefixlen}`);
}
