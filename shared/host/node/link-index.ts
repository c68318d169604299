import { ip } from "./ip.ts";

/**
 * The index of an interface in a network namespace, 0 if it has none of that name; undefined if nobody can look. All interfaces are
 * listed: ip(8) fails alike for a name that is missing and for a namespace that is, and takes an alternative name for a name.
 */
export function linkIndex(netns: string, name: string): number | undefined {
  const links = linksOf(ip(netns, 4, "link show\n"));
  return links && (links.find(({ ifname }) => ifname === name)?.ifindex ?? 0);
}

function linksOf(answer: string | undefined): { ifname: string; ifindex: number }[] | undefined {
  try {
    const links = JSON.parse(answer ?? "");
    return Array.isArray(links) ? links : undefined;
  } catch {
    return undefined;
  }
}
