import { createHash } from "node:crypto";
import { interfaceNameProblem, networkNameProblem } from "../../shared/protocol/names.ts";
import { addressText } from "../lists/addresses.ts";
import type { HostNetworks } from "./host-networks.ts";
import { freePart, freeSubnet, numberOf, overlaps, parseSubnet, type Range, subnetText } from "./subnets.ts";

export type FieldName =
  | ("name" | "cniVersion" | "master" | "lan" | "lanStart" | "gateway")
  | ("bridge" | "subnet" | "subnet6" | "adminChain");

/** The values of a new list. */
export type Values = { readonly [name in FieldName]?: string };

/** A value that an option gives, a person types, or the host suggests. */
export interface Field {
  /** The question, and the description of the option. */
  readonly message: string;
  /** Suggests a value from the values before it and from the host; undefined if there is none to suggest. */
  suggest(values: Values, host: HostNetworks): string | undefined;
  /** Says what is wrong with a value, in words that follow it; undefined if nothing is. */
  problem(value: string, values: Values): string | undefined;
}

/** All values, in the order in which they are asked for. */
export const fields: Readonly<Record<FieldName, Field>> = {
  name: {
    message: "name of the list",
    suggest: () => undefined,
    problem: networkNameProblem,
  },
  cniVersion: {
    message: "version of the specification",
    suggest: () => "1.0.0",
    problem: (value) => (versions.includes(value) ? undefined : `must be one of ${versions.join(", ")}`),
  },
  master: {
    message: "host interface that carries macvlan and ipvlan",
    suggest: (_, { interfaces }) => interfaces[0]?.name,
    problem: interfaceNameProblem,
  },
  lan: {
    message: "subnet of the network at that interface",
    suggest: ({ master }, host) => lanOf(master, host),
    problem: (value) => subnetProblem(value, 32),
  },
  lanStart: {
    message: "first address of that subnet for containers",
    suggest: ({ lan, gateway }, host) => {
      const part = partOf(lan, gateway, host);
      return part && addressText({ bits: 32, value: part.first });
    },
    problem: (value, { lan }) => insideProblem(value, lan),
  },
  gateway: {
    message: "gateway of that subnet",
    suggest: ({ lan }, { gateway }) => gatewayOf(lan, gateway),
    problem: (value, { lan }) => insideProblem(value, lan),
  },
  bridge: {
    message: "name of the bridge on the host",
    suggest: ({ name }) => `br-${name}`.slice(0, 15),
    problem: (value) => (/^eth\d+$/.test(value) ? "looks like a container's interface" : interfaceNameProblem(value)),
  },
  subnet: {
    message: "subnet of the bridge",
    suggest: ({ lan }, { subnets }) => {
      const free = freeSubnet(
        [...subnets, ...(lan === undefined ? [] : [lan])].flatMap((one) => parseSubnet(one) ?? []),
      );
      return free && subnetText(free);
    },
    problem: (value, { lan }) => subnetProblem(value, 32, lan),
  },
  subnet6: {
    message: "IPv6 subnet of the bridge",
    suggest: ({ name }) => uniqueLocal(name ?? ""),
    problem: (value) => subnetProblem(value, 128),
  },
  adminChain: {
    message: "iptables chain with an administrator's own rules",
    suggest: () => "NOMAD-ADMIN",
    problem: (value) => (/^[\w-]{1,28}$/.test(value) ? undefined : "must have 1 to 28 letters, digits, '-' and '_'"),
  },
};

/** The versions that have CHECK. */
const versions = ["0.4.0", "1.0.0", "1.1.0"];

/** The part of the LAN's upper half that is free, as far as the host knows. */
export function partOf(lan: string | undefined, gateway: string | undefined, host: HostNetworks): Range | undefined {
  const range = parseSubnet(lan ?? "");
  if (!range) return undefined;
  const own = host.interfaces.flatMap(({ addresses }) => addresses.map((one) => one.split("/")[0] ?? ""));
  return freePart(
    range,
    [...own, gateway ?? ""].flatMap((address) => numberOf(address, range) ?? []),
  );
}

function lanOf(master: string | undefined, { interfaces }: HostNetworks): string | undefined {
  const addresses = interfaces.find(({ name }) => name === master)?.addresses ?? [];
  const range = addresses.map(parseSubnet).find((one) => one?.bits === 32);
  const lan = range && subnetText(range);
  return lan !== undefined && subnetProblem(lan, 32) === undefined ? lan : undefined;
}

function gatewayOf(lan: string | undefined, gateway: string | undefined): string | undefined {
  const range = parseSubnet(lan ?? "");
  if (!range) return undefined;
  return gateway !== undefined && insideProblem(gateway, lan) === undefined
    ? gateway
    : addressText({ bits: 32, value: range.first + 1n });
}

const ipv4Subnet = "IPv4 subnet, such as 10.1.0.0/24";
const ipv6Subnet = "IPv6 subnet, such as fd00:1::/64";

/** host-local needs at least four addresses, and a subnet that begins with its first one. */
function subnetProblem(value: string, bits: 32 | 128, other?: string): string | undefined {
  const range = parseSubnet(value);
  if (!range || range.bits !== bits) return `must be an ${bits === 32 ? ipv4Subnet : ipv6Subnet}`;
  if (range.last - range.first < 3n) return "must have at least four addresses";
  if (numberOf(value.split("/")[0] ?? "", range) !== range.first)
    return `must begin with its first address: ${subnetText(range)}`;
  const taken = parseSubnet(other ?? "");
  return taken && overlaps(range, taken) ? `overlaps ${other}` : undefined;
}

function insideProblem(value: string, lan: string | undefined): string | undefined {
  const range = parseSubnet(lan ?? "");
  const number = range && numberOf(value, range);
  const isInside = range && number !== undefined && number > range.first && number < range.last;
  return isInside ? undefined : `must be an address inside ${lan}`;
}

/** A unique local subnet (RFC 4193) that is always the same for one name. */
function uniqueLocal(name: string): string {
  const hash = createHash("sha256").update(name).digest("hex");
  const range = parseSubnet(`fd${hash.slice(0, 2)}:${hash.slice(2, 6)}:${hash.slice(6, 10)}:0::/64`);
  return range ? subnetText(range) : "fd00::/64";
}
