import { isJsonObject } from "../../shared/protocol/json.ts";
import { isLeased } from "./ipam.ts";
import type { Link, Machine } from "./machine.ts";
import { isMasqueraded } from "./masquerade.ts";
import type { Effect, Place } from "./plugin.ts";

/** What an attachment has because of a plugin that makes an interface. */
export function linkEffects(machine: Machine, place: Place): Effect[] {
  const { containerId, namespace, ifName, addresses, config } = place;
  const { links } = namespace;
  const link = links.get(ifName);
  const mtu = link?.attributes.get("mtu");
  const ipam = isJsonObject(config.ipam) ? String(config.ipam.type) : "";
  return [
    {
      what: `link ${ifName}`,
      holds: () => link !== undefined && links.get(ifName) === link,
      lose: () => {
        links.delete(ifName);
        return () => link && links.set(ifName, link);
      },
    },
    {
      what: `addresses ${addresses} of ${ifName}`,
      holds: () => link?.addresses.join() === addresses.join(),
      lose: () => dropAddress(link),
    },
    { what: `MTU of ${ifName}`, holds: () => link?.attributes.get("mtu") === mtu },
    ...addresses.flatMap((address): Effect[] => [
      { what: `lease of ${address}`, holds: () => isLeased(machine, ipam, containerId, ifName, address) },
      ...(config.ipMasq ? [{ what: `masquerading of ${address}`, holds: () => isMasqueraded(machine, address) }] : []),
    ]),
  ];
}

function dropAddress(link: Link | undefined): () => void {
  const { addresses = [] } = link ?? {};
  if (link) link.addresses = [];
  return () => {
    if (link) link.addresses = addresses;
  };
}

/** Removes the rules whose text ends so. Returns how to give them back. */
export function dropRules(machine: Machine, end: string): () => void {
  const { rules } = machine;
  machine.removeRules(({ text }) => text.endsWith(end));
  return () => {
    machine.rules = rules;
  };
}
