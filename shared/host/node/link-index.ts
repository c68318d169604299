import { ip } from "./ip.ts";

/**
 * Returns the index of an interface in a network namespace, 0 if there is none of that name; undefined if it cannot be read.
 * It lists all interfaces, because ip(8) fails the same way for a missing name and a missing namespace, and accepts
 * alternative names.
 */
export function linkIndex(netns: string, name: string): number | undefined {
  const links = linksOf(ip(["-json", "link", "show"], "", netns));
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
