import type { ListedPlugin } from "../lists/list.ts";
import type { Facts, LinkAddress } from "./facts.ts";

/**
 * Leaves out the addresses that no plugin gave: the kernel's own, and those that a container added to an interface with a lease.
 * A result that names them fails CHECK when they move to another container.
 */
export function withoutForeignAddresses(
  facts: Facts,
  creators: readonly ListedPlugin[],
  leasedAddresses: (creator: ListedPlugin) => readonly string[],
): Facts {
  const inside = facts.inside.map((link) => {
    const creator = creators.find(({ ifName }) => ifName === link.ifname);
    const leased = creator ? leasedAddresses(creator) : [];
    const isOwn = ({ local, dynamic }: LinkAddress) => !dynamic && (leased.length === 0 || leased.includes(local));
    return { ...link, addr_info: (link.addr_info ?? []).filter(isOwn) };
  });
  return { ...facts, inside };
}
