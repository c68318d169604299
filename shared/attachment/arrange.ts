import type { CniResult, Interface, IpConfig } from "../protocol/result.ts";

/**
 * The result with only the interfaces that `order` lists (by their old indexes, in their new order). Addresses of the others
 * are left out, the rest are re-indexed; an address without an index stays as it is.
 */
export function arranged(result: CniResult, order: readonly number[]): CniResult {
  const interfaces = result.interfaces ?? [];
  const kept = order.map((index) => interfaces[index]).filter((entry): entry is Interface => entry !== undefined);
  if (!result.ips) return { ...result, interfaces: kept };
  const ips = result.ips.filter((ip) => typeof ip.interface !== "number" || order.includes(ip.interface));
  return { ...result, interfaces: kept, ips: ips.map((ip) => reindexed(ip, (index) => order.indexOf(index))) };
}

/** The address with its index moved; one without an index stays as it is. */
export function reindexed(ip: IpConfig, move: (index: number) => number): IpConfig {
  return typeof ip.interface === "number" ? { ...ip, interface: move(ip.interface) } : ip;
}
