import { createHash } from "node:crypto";
import { parseIp } from "../../shared/attachment/subnet.ts";

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

/** Returns the name of bridge's rules against forged MACs (plugins/pkg/link/spoofcheck.go). */
export function spoofCheckName(containerId: string, ifName: string): string {
  return `${containerId}-${ifName}`;
}

/** Returns one spelling for all spellings of an address, with or without a prefix length. */
export function plainAddress(text: string): string {
  const [address = ""] = text.split("/");
  const ip = parseIp(address);
  return ip === undefined || ip.bits === 32 ? address : BigInt(ip.value).toString(16);
}

function hashed(length: number, prefix: string, text: string): string {
  return (prefix + createHash("sha512").update(text).digest("hex")).slice(0, length);
}
