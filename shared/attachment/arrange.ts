import type { CniResult, Interface, IpConfig } from "../protocol/result.ts";

/**
 * Returns the result with only the interfaces whose indexes are in `order`, in that order. Addresses of other interfaces are
 * dropped, the rest are re-indexed. An address without an index is unchanged.
 */
export function arranged(result: CniResult, order: readonly number[]): CniResult {
  const interfaces = result.interfaces ?? [];
  const kept: Interface[] = [];
  const places = new Map<number | null | undefined, number>();
  order.forEach((index, place) => {
    const entry = interfaces[index];
    if (entry !== undefined) kept.push(entry);
    places.set(index, place);
  });
  if (!result.ips) return { ...result, interfaces: kept };
  const ips: IpConfig[] = [];
  for (const ip of result.ips) {
    const place = places.get(ip.interface);
    if (place !== undefined) ips.push({ ...ip, interface: place });
    else if (typeof ip.interface !== "number") ips.push(ip);
  }
  return { ...result, interfaces: kept, ips };
}

/** Returns the address with its index moved. An address without an index is unchanged. */
export function reindexed(ip: IpConfig, move: (index: number) => number): IpConfig {
  return typeof ip.interface === "number" ? { ...ip, interface: move(ip.interface) } : ip;
}
