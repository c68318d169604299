import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import { ipamOf, isLeased } from "./ipam.ts";
import type { Link, Machine, Namespace } from "./machine.ts";
import {
  type Effect,
  namesOf,
  open,
  type Place,
  type Plugin,
  type PluginCall,
  PluginError,
  resultOf,
  type Steps,
  withoutPrefix,
} from "./plugin.ts";

/** The differences between bridge, macvlan, ipvlan and the other creators. */
interface Kind {
  /** ADD takes it first, and if it then fails, it gives the lease back. */
  readonly first: "link" | "lease";
  /** DEL frees the lease before it deletes the link; else after it. */
  readonly freesFirst: boolean;
  /** The host-side interfaces that it reports. The last one is the other end of the link. */
  readonly hostSide: (config: JsonObject, link: Link) => string[];
  readonly hasHostEnd: boolean;
  readonly ifTaken: (name: string) => string;
}

const vethTaken = (name: string) => `container veth name ("${name}") already exists`;
const noHostSide = () => [];

// plugins/main/bridge/bridge.go. If IPAM fails, the link stays.
const bridge: Kind = {
  first: "link",
  freesFirst: false,
  hasHostEnd: true,
  hostSide: ({ bridge = "cni0" }, { hostEnd }) => [String(bridge), String(hostEnd)],
  ifTaken: vethTaken,
};

// plugins/main/ptp/ptp.go
const ptp: Kind = {
  first: "lease",
  freesFirst: true,
  hasHostEnd: true,
  hostSide: (_, { hostEnd }) => [String(hostEnd)],
  ifTaken: vethTaken,
};

// plugins/main/macvlan/macvlan.go. If IPAM fails, the link stays: the inner `err` hides the one that the clean-up looks at.
const macvlan: Kind = {
  first: "link",
  freesFirst: true,
  hasHostEnd: false,
  hostSide: noHostSide,
  ifTaken: (name) => `failed to rename macvlan to "${name}": file exists`,
};

// plugins/main/ipvlan/ipvlan.go. The link of another name, which stays if the name is taken, is left out.
const ipvlan: Kind = { ...macvlan, ifTaken: (name) => `failed to rename ipvlan to "${name}": file exists` };

/** The plugins that make interfaces. */
export const creators: Readonly<Record<string, Plugin>> = {
  bridge: creator(bridge),
  ptp: creator(ptp),
  macvlan: creator(macvlan),
  ipvlan: creator(ipvlan),
  twin: twin(),
  flannel: flannel(),
};

function creator(kind: Kind): Plugin {
  return {
    add: (machine, call) => attach(kind, machine, call),
    check(machine, call) {
      const { ifName, netns } = namesOf(call);
      const link = machine.namespaces.get(netns)?.links.get(ifName);
      ipamOf(call.config).check(machine, call);
      checkResult(kind, call, link);
    },
    del: (machine, call) => detach(kind, machine, call),
    effects: linkEffects,
  };
}

function* attach(kind: Kind, machine: Machine, call: PluginCall): Steps<JsonObject> {
  const { config } = call;
  const { containerId, netns, ifName, network } = namesOf(call);
  const ipam = ipamOf(config);
  const namespace = open(machine, call);
  let address = kind.first === "lease" ? yield* ipam.reserve(machine, call) : undefined;
  if (address) yield "leased";
  try {
    if (namespace.links.has(ifName)) throw new PluginError(kind.ifTaken(ifName));
    machine.addLink(namespace, ifName, kind.hasHostEnd);
    yield "link made";
    if (!address) {
      address = yield* ipam.reserve(machine, call);
      yield "leased";
    }
    const link = setAddress(namespace, ifName, address);
    yield "address set";
    if (config.ipMasq) yield* masquerade(machine, network, containerId, address);
    const hostSide = kind.hostSide(config, link).map((name) => ({ name }));
    const interfaces = [...hostSide, { name: ifName, sandbox: netns }];
    return { cniVersion: "1.1.0", interfaces, ips: [{ address, interface: hostSide.length }] };
  } catch (error) {
    if (address) ipam.release(machine, call);
    throw error;
  }
}

/** Sets an address on the link that has the name now (pkg/ipam/ipam_linux.go, ConfigureIface). */
function setAddress({ links }: Namespace, ifName: string, address: string): Link {
  const link = links.get(ifName);
  if (!link) throw new PluginError(`failed to lookup "${ifName}"`);
  if (link.addresses.includes(address)) throw new PluginError(`failed to add IP addr ${address}: file exists`);
  link.addresses = [...link.addresses, address];
  return link;
}

/** CHECK compares every address of prevResult with its own interface, and looks for the other interfaces on the host. */
function checkResult({ hasHostEnd }: Kind, { env, config }: PluginCall, link: Link | undefined): void {
  const { CNI_NETNS: netns, CNI_IFNAME: ifName } = env;
  const { interfaces, ips } = resultOf(config);
  if (!link) throw new PluginError(`Interface name ${ifName} is missing`);
  if (!interfaces.some(({ name, sandbox }) => name === ifName && sandbox === netns)) {
    throw new PluginError(`Sandbox in prevResult does not match configured netns: ${netns}`);
  }
  const foreign = interfaces.find(({ name, sandbox }) => sandbox !== undefined && name !== ifName);
  if (hasHostEnd && foreign) throw new PluginError(`Interface ${foreign.name} should not be in sandbox`);
  if (hasHostEnd && !interfaces.some(({ name }) => name === link.hostEnd)) throw new PluginError("veth was not found");
  for (const { address } of ips) {
    if (!link.addresses.includes(String(address))) {
      throw new PluginError(`Failed to match addr ${address} on interface ${ifName}`);
    }
  }
}

function* detach(kind: Kind, machine: Machine, call: PluginCall): Steps {
  const { containerId, netns, ifName, network } = namesOf(call);
  const ipam = ipamOf(call.config);
  if (kind.freesFirst) ipam.release(machine, call);
  yield "released";
  const links = machine.namespaces.get(netns)?.links;
  const link = links?.get(ifName);
  links?.delete(ifName);
  yield "link deleted";
  if (!kind.freesFirst) ipam.release(machine, call);
  // The addresses come from the link. Without it or without the namespace, the rules stay (plugins#810).
  if (call.config.ipMasq)
    for (const address of link?.addresses ?? []) unmasquerade(machine, network, containerId, address);
}

/** A chain for the network and the container, whatever the interface (pkg/ip/ipmasq_iptables_linux.go). */
function* masquerade(machine: Machine, network: string, containerId: string, address: string): Steps {
  const chain = `CNI-${network}${containerId}`;
  machine.chains.add(chain);
  machine.appendUnique(chain, `-d ${address} -j ACCEPT`);
  machine.appendUnique(chain, "! -d 224.0.0.0/4 -j MASQUERADE");
  yield "chain filled";
  machine.appendUnique("POSTROUTING", `-s ${withoutPrefix(address)} -j ${chain}`);
  yield "masqueraded";
}

function unmasquerade(machine: Machine, network: string, containerId: string, address: string): void {
  const chain = `CNI-${network}${containerId}`;
  const jump = `-s ${withoutPrefix(address)} -j ${chain}`;
  machine.removeRules((rule) => rule.chain === "POSTROUTING" && rule.text === jump);
  if (!machine.deleteChain(chain)) throw new PluginError("CHAIN_DEL failed: Device or resource busy");
}

function isMasqueraded({ rules }: Machine, address: string): boolean {
  const source = `-s ${withoutPrefix(address)} -j `;
  const jumps = rules.filter(({ chain, text }) => chain === "POSTROUTING" && text.startsWith(source));
  return jumps.some(({ text }) =>
    rules.some((rule) => rule.chain === text.slice(source.length) && rule.text.endsWith("MASQUERADE")),
  );
}

function linkEffects(machine: Machine, place: Place): Effect[] {
  const { containerId, namespace, ifName, addresses, config } = place;
  const { links } = namespace;
  const link = links.get(ifName);
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

/** Returns the name of a twin's second interface. */
export function secondName(ifName: string): string {
  return `${ifName}b`;
}

/** A plugin of somebody else's that makes two interfaces. Its CHECK and DEL know them from prevResult, if there is one. */
function twin(): Plugin {
  const named = ({ env, config }: PluginCall, name: string): PluginCall => ({
    env: { ...env, CNI_IFNAME: name },
    config,
  });
  const ownNames = (call: PluginCall): string[] => {
    const { ifName } = namesOf(call);
    const listed = resultOf(call.config).interfaces.map(({ name }) => String(name));
    return listed.length > 0 ? listed : [ifName, secondName(ifName)];
  };
  return {
    *add(machine, call) {
      const { ifName } = namesOf(call);
      const one = yield* attach(macvlan, machine, call);
      const { args: _, ...config } = call.config;
      const other = yield* attach(macvlan, machine, named({ ...call, config }, secondName(ifName)));
      const [first, second] = [resultOf({ prevResult: one }), resultOf({ prevResult: other })];
      const moved = second.ips.map((ip) => ({ ...ip, interface: 1 }));
      return { ...one, interfaces: [...first.interfaces, ...second.interfaces], ips: [...first.ips, ...moved] };
    },
    check(machine, call) {
      const { ifName, netns } = namesOf(call);
      const links = machine.namespaces.get(netns)?.links;
      const { ips } = resultOf(call.config);
      for (const [index, name] of [ifName, secondName(ifName)].entries()) {
        const addresses = links?.get(name)?.addresses ?? [];
        const given = ips.filter((ip) => ip.interface === index);
        if (!ownNames(call).includes(name)) throw new PluginError(`prevResult has no ${name}`);
        if (!given.every(({ address }) => addresses.includes(String(address))))
          throw new PluginError(`${name} lost it`);
      }
    },
    *del(machine, call) {
      for (const name of ownNames(call)) yield* detach(macvlan, machine, named(call, name));
    },
    effects: linkEffects,
  };
}

/** flannel runs bridge, and keeps bridge's configuration by container id (flannel-io/cni-plugin, flannel_linux.go). */
function flannel(): Plugin {
  const fileOf = ({ env }: PluginCall) => `/var/lib/cni/flannel/${env.CNI_CONTAINERID}`;
  return {
    *add(machine, call) {
      const { name, subnet } = call.config;
      const config = { name, type: "bridge", ipam: { type: "host-local", subnet } };
      machine.writeFile(fileOf(call), JSON.stringify(config));
      yield "configuration kept";
      return yield* attach(bridge, machine, { env: call.env, config });
    },
    check() {},
    *del(machine, call) {
      const kept = machine.files.get(fileOf(call))?.text;
      if (kept === undefined) return;
      yield* detach(bridge, machine, { env: call.env, config: JSON.parse(kept) });
      machine.files.delete(fileOf(call));
    },
    effects: (machine, place) =>
      linkEffects(machine, { ...place, config: { ipam: { type: "host-local" } } }).map(
        ({ lose: _, ...unseen }) => unseen,
      ),
  };
}
