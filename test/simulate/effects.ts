import type { Link, Namespace } from "../../cli/model/machine.ts";
import { publishedPorts } from "../../cli/model/portmap.ts";
import { addressIn } from "../../shared/attachment/subnet.ts";
import { leaseDirectory } from "../../shared/journal/host-files.ts";
import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import type { SimulatedMachine } from "./simulated-machine.ts";

/** What an attachment has because of one plugin of its list. */
export interface Effect {
  readonly what: string;
  readonly holds: () => boolean;
  /** Takes it away, so that the CHECK of the plugin must fail; returns how to give it back. Without it, CHECK sees no loss. */
  readonly lose?: () => () => void;
}

/** Where a plugin acted: its interface, the interface's addresses, and its own configuration. */
interface Place {
  readonly containerId: string;
  readonly namespace: Namespace;
  readonly ifName: string;
  readonly addresses: readonly string[];
  readonly config: JsonObject;
}

type EffectsOf = (machine: SimulatedMachine, place: Place) => Effect[];

/** What the plugins of the simulation's lists give to an attachment. */
export const effects: Readonly<Record<string, EffectsOf>> = {
  ...{ bridge: linkEffects, ptp: linkEffects, macvlan: linkEffects, ipvlan: linkEffects, twin: linkEffects },
  // CHECK of flannel sees no loss.
  flannel: (machine, place) =>
    linkEffects(machine, { ...place, config: { ipam: { type: "host-local" } } }).map(
      ({ lose: _, ...unseen }) => unseen,
    ),
  portmap: (machine, { config, addresses: [address = ""] }) => {
    const { runtimeConfig, backend } = config as { runtimeConfig: { portMappings: JsonObject[] }; backend?: string };
    return runtimeConfig.portMappings.map(({ hostPort, containerPort }) => {
      const leads = `${addressIn(address)}:${containerPort}`;
      const isIt = ({ port }: { port: string }) => port.startsWith(`${hostPort}/`);
      const holds = () => publishedPorts(machine).find(isIt)?.to === leads;
      const what = `port ${hostPort} to ${leads}`;
      return backend === "nftables" ? { what, holds } : { what, holds, lose: () => dropRules(machine, leads) };
    });
  },
  firewall: (machine, { addresses }) =>
    addresses.map((address) => {
      const ip = `${addressIn(address)}/${address.includes(":") ? 128 : 32}`;
      const has = (start: string) =>
        machine.rules.some(({ chain, text }) => chain === "CNI-FORWARD" && text.startsWith(start));
      return {
        what: `${address} passes the firewall`,
        holds: () => has(`-d ${ip} `) && has(`-s ${ip} `),
        lose: () => dropRules(machine, `-s ${ip} -j ACCEPT`),
      };
    }),
  tuning: (_, { namespace, ifName, config: { mtu, allmulti } }) => {
    const attributes = namespace.links.get(ifName)?.attributes;
    const wanted = Object.entries({ mtu, allmulti }).filter(([, value]) => value !== undefined);
    return wanted.map(([name, value]) => ({
      what: `${name} ${Number(value)} of ${ifName}`,
      holds: () => attributes?.get(name) === Number(value),
      lose: () => {
        attributes?.set(name, 68);
        return () => attributes?.set(name, Number(value));
      },
    }));
  },
  bandwidth: ({ devices }, { namespace, ifName }) => {
    const link = namespace.links.get(ifName);
    const isThere = () => [...devices.values()].some((device) => device === link?.shaper);
    return [{ what: `limits of ${ifName}`, holds: isThere }];
  },
  sbr: (_, { namespace: { sources }, addresses }) =>
    addresses.map((address) => ({ what: `table for ${address}`, holds: () => sources.has(address) })),
  mark: ({ files }, { containerId }) => [{ what: "mark", holds: () => files.has(`/var/lib/mark/${containerId}`) }],
};

/** What an attachment has because of a plugin that makes an interface. */
function linkEffects(machine: SimulatedMachine, place: Place): Effect[] {
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
      { what: `lease of ${address}`, holds: () => isLeased(machine, ipam, { containerId, ifName, address }) },
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
function dropRules(machine: SimulatedMachine, end: string): () => void {
  const { rules } = machine;
  machine.removeRules(({ text }) => text.endsWith(end));
  return () => {
    machine.rules = rules;
  };
}

function isMasqueraded({ rules }: SimulatedMachine, address: string): boolean {
  const source = `-s ${addressIn(address)} -j `;
  const jumps = rules.filter(({ chain, text }) => chain === "POSTROUTING" && text.startsWith(source));
  return jumps.some(({ text }) =>
    rules.some((rule) => rule.chain === text.slice(source.length) && rule.text.endsWith("MASQUERADE")),
  );
}

/** Whether an IPAM plugin keeps an address for an interface. */
export function isLeased(
  machine: SimulatedMachine,
  ipam: string,
  { containerId, ifName, address }: { containerId: string; ifName: string; address: string },
): boolean {
  const name = `/${addressIn(address)}`;
  if (ipam === "host-local") return leasesOf(machine, containerId, ifName).some((path) => path.endsWith(name));
  const isOwn = ([client, lease]: [string, { address: string }]) =>
    client.startsWith(`${containerId}/`) && client.endsWith(`/${ifName}`) && `${lease.address}/24` === address;
  return ipam !== "dhcp" || [...machine.dhcp].some(isOwn);
}

/** Returns the files of host-local's leases for an interface, in all networks. */
export function leasesOf({ files }: SimulatedMachine, containerId: string, ifName: string): string[] {
  const owner = `${containerId}\r\n${ifName}`;
  // Most files are others': this is the fastest way to see that.
  return [...files].flatMap(([path, { text }]) => (text === owner && path.startsWith(leaseDirectory) ? [path] : []));
}

/** Whether an interface other than an owner's (`c1\r\neth0`) has one of host-local's leases of an address. */
export function isLeasedByOther({ files }: SimulatedMachine, owner: string, address: string): boolean {
  const name = `/${addressIn(address)}`;
  return [...files].some(
    ([path, { text }]) => path.startsWith(leaseDirectory) && path.endsWith(name) && text !== owner,
  );
}
