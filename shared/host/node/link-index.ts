import { parseJsonList } from "../../protocol/json.ts";
import { ip } from "./ip.ts";

/**
 * Returns the index of an interface in a network namespace, 0 if there is none of that name; undefined if it cannot be read.
 * It lists all interfaces, because ip(8) fails the same way for a missing name and a missing namespace, and accepts
 * alternative names.
 */
export function linkIndex(netns: string, name: string): number | undefined {
  const links = parseJsonList(ip(["-json", "link", "show"], "", netns) ?? "");
  const index = links?.find(({ ifname }) => ifname === name)?.ifindex ?? 0;
  return links && Number.isSafeInteger(index) && Number(index) >= 0 ? Number(index) : undefined;
}
