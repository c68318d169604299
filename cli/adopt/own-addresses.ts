import type { ContainerLinks, LinkAddress } from "../host/links.ts";
import type { ListedPlugin } from "../lists/list.ts";

/**
 * Leaves out the addresses that no plugin gave: the kernel's own, and those that a container added to an interface with a lease.
 * A result that names them fails CHECK when they move to another container.
 */
export function withoutForeignAddresses(
  links: ContainerLinks,
  creators: readonly ListedPlugin[],
  leasedAddresses: (creator: ListedPlugin) => readonly string[],
): ContainerLinks {
  const inside = links.inside.map((link) => {
    const creator = creators.find(({ ifName }) => ifName === link.ifname);
    const leased = creator ? leasedAddresses(creator) : [];
    const isOwn = ({ local, dynamic }: LinkAddress) => !dynamic && (leased.length === 0 || leased.includes(local));
    return { ...link, addr_info: (link.addr_info ?? []).filter(isOwn) };
  });
  return { ...links, inside };
}
