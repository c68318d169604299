import { createHash } from "node:crypto";
import { addressIn, parseIp } from "../../shared/attachment/subnet.ts";

/** What can be left of an attachment. */
export type Kind = (typeof kinds)[number];

/** The kinds in the order of their removal. The result comes last: a killed run then knows the rest from it. */
export const kinds = ["rule", "link", "lease", "backup", "journal", "result"] as const;

/** Something on the host that belongs to an attachment. */
export interface Thing {
  readonly kind: Kind;
  /** For people: a path, or a chain. */
  readonly where: string;
  /** The name by which its attachments are found. See `namesOf`. */
  readonly name: string;
  /** The delegate's network, if the thing itself tells it. */
  readonly network?: string | undefined;
  /** The container, if the thing itself tells it. */
  readonly containerId?: string | undefined;
  /** The container's addresses in it, as `plainAddress` spells them. */
  readonly addresses: readonly string[];
  /** Why it must stay if no attachment has it. */
  readonly doubt?: string | undefined;
  readonly removal: Removal;
}

/** How to remove a thing, and how to see that it is still the same. */
export type Removal =
  | { readonly by: "unlink"; readonly file: string; readonly text: string; readonly lock?: string }
  | { readonly by: "iptables"; readonly restore: string; readonly table: string; readonly lines: readonly string[] }
  | { readonly by: "nft"; readonly read: readonly string[]; readonly name: string }
  | { readonly by: "ip"; readonly link: string };

/** The name of a lease: host-local finds it by these three. A lease of an old host-local has no interface. */
export function leaseName(network: string, containerId: string, ifName = ""): string {
  return `lease:${network}:${containerId}:${ifName}`;
}

// The names that the reference plugins make from a network and a container (plugins/pkg/utils/utils.go).

/** Returns the name of an attachment's iptables chain: masquerading has no kind, portmap has `DN-`, and had `SN-` once. */
export function chainName(kind: "" | "DN-" | "SN-", network: string, containerId: string): string {
  return hashed(28, `CNI-${kind}`, network + containerId);
}

/** Returns the name of the link with which bandwidth limits what a container sends. */
export function limiterName(network: string, containerId: string): string {
  return hashed(15, "bwp", network + containerId);
}

/** Returns the beginning of the comment on a masquerading rule in nftables (plugins/pkg/ip/ipmasq_nftables_linux.go). */
export function masqueradeName(network: string, ifName: string, containerId: string): string {
  return `${hashed(16, "", network)}-${hashed(16, "", `${ifName}:${containerId}`)}`;
}

/** Returns one spelling for all spellings of an address, with or without a prefix length. */
export function plainAddress(text: string): string {
  const ip = parseIp(addressIn(text));
  return ip?.bits === 128 ? BigInt(ip.value).toString(16) : addressIn(text);
}

function hashed(length: number, prefix: string, text: string): string {
  return (prefix + createHash("sha512").update(text).digest("hex")).slice(0, length);
}
