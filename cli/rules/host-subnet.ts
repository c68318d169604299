import { sharedDeviceName } from "../../shared/plugin/profile.ts";
import { addressesOf, type Link, linkNamed } from "../host/links.ts";
import type { FoundAt, PluginRule } from "../lint/rule.ts";
import { cidrOf, contains, givesOut } from "../lists/addresses.ts";
import { poolsOf, rangeSetsOf } from "../lists/ipam.ts";
import { isGateway, isRewritten, type ListedPlugin, lanMasterOf } from "../lists/list.ts";

export const hostSubnet: PluginRule = {
  title: "The host itself has an address in the containers' subnet (`--host`).",
  page: `With \`isGateway\`, the host routes the subnet to its bridge, and ptp's containers have a subnet of their own in the same
way. If another interface of the host has an address in that subnet (the LAN, a VPN, another bridge such as \`docker0\` or
Nomad's own), ADD passes, and one of the two networks gets the other's packets. Use another subnet.

A macvlan or ipvlan interface belongs to the LAN of its \`master\`. There the subnet is right, but host-local does not know the
host's own address: without \`rangeStart\` and \`rangeEnd\` it gives it to a container sooner or later.`,
  findInPlugin(plugin, _, { links }) {
    if (!links || plugin.role !== "creator" || isRewritten(plugin)) return undefined;
    const master = lanMasterOf(plugin);
    return master === undefined ? routedTwice(plugin, links) : givenOut(plugin, linkNamed(master, links));
  },
};

/** The addresses of the host. */
function heldBy(links: readonly Link[]) {
  return links.flatMap((link) =>
    addressesOf(link).flatMap((text) => {
      const cidr = cidrOf(text);
      return cidr ? [{ ifname: link.ifname, text, cidr }] : [];
    }),
  );
}

function givenOut(plugin: ListedPlugin, master: Link | undefined): readonly FoundAt[] {
  const held = heldBy(master ? [master] : []);
  return poolsOf(plugin).flatMap((pool) => {
    const taken = held.find(({ cidr }) => givesOut(pool, cidr));
    if (!taken) return [];
    const message = `${plugin.ifName} can get ${taken.text}, which ${taken.ifname} of this host has`;
    return { at: pool.path.slice(plugin.path.length), message, hint: "Leave it out with rangeStart and rangeEnd" };
  });
}

function routedTwice(plugin: ListedPlugin, links: readonly Link[]): readonly FoundAt[] {
  const bridge = routedThrough(plugin);
  if (bridge === undefined) return [];
  const held = heldBy(
    links.filter(({ ifname, linkinfo }) => {
      // ptp gives the gateway's address to each veth. An address that others route to is often on lo or a dummy.
      return ![bridge, "lo"].includes(ifname) && !["veth", "dummy"].includes(linkinfo?.info_kind ?? "");
    }),
  );
  return rangeSetsOf(plugin)
    .flat()
    .flatMap(({ path, range }) => {
      const subnet = cidrOf(range.subnet);
      const other = subnet && held.find(({ cidr }) => contains(subnet, cidr));
      if (!other) return [];
      const message = `${other.ifname} of this host has ${other.text}, an address in the subnet of ${plugin.ifName}: the host routes the subnet to one of the two only`;
      return { at: [...path.slice(plugin.path.length), "subnet"], message, hint: "Use another subnet" };
    });
}

/** The bridge to which the host routes the subnet, an empty text for ptp's veth; undefined if the host has no route to it. */
function routedThrough({ delegate, profile, configuration }: ListedPlugin): string | undefined {
  if (delegate === "ptp") return "";
  // With `vlan`, the address is on a VLAN device of the bridge.
  const isRouted = isGateway(configuration) && configuration.vlan === undefined;
  return isRouted ? sharedDeviceName(profile, configuration) : undefined;
}
