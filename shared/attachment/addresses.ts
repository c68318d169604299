import { parseIp, subnetContains } from "./subnet.ts";

/** Returns one name for all spellings of the address in a CIDR (`172.16.5.2/24`, `fd00::0:2`); undefined if it is invalid. */
export function ipName(cidr: string): string | undefined {
  const [address = ""] = cidr.split("/");
  const ip = parseIp(address);
  return ip && `${ip.bits} ${ip.value}`;
}

/** Whether the address in a CIDR is link-local IPv6 (fe80::/10), which is valid on one interface only. */
export function isLinkLocal(cidr: string): boolean {
  return subnetContains("fe80::/10", cidr.split("/")[0] ?? "");
}

/** Whether two CIDRs (`172.16.5.2/24`, `172.16.5.0/24`) have the same subnet. */
export function samePrefix(one: string, other: string): boolean {
  const [, length] = one.split("/");
  const [base = "", otherLength] = other.split("/");
  return length === otherLength && subnetContains(one, base);
}
