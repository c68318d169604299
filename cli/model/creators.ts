import { addressIn } from "../../shared/attachment/subnet.ts";
import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import { bridge } from "./bridge.ts";
import { hasIpam, ipamOf } from "./ipam.ts";
import { type Kind, kinds, namespaceIn } from "./kinds.ts";
import type { Link, Machine } from "./machine.ts";
import { checkNetwork, configure, type FilledIp, isIpv6, type Leased } from "./network.ts";
import { namesOf, open, type Plugin, type PluginCall, PluginError, type Steps } from "./plugin.ts";

/** The plugins that make interfaces. */
export const creators: Readonly<Record<string, Plugin>> = Object.fromEntries(
  Object.entries({ bridge, ...kinds }).map(([type, kind]) => [type, creator(kind)]),
);

/** Returns the plugin of a kind of interface. */
export function creator(kind: Kind): Plugin {
  return {
    add: (machine, call) => attach(kind, machine, call),
    check(machine, call) {
      const { config } = call;
      kind.begin?.(machine, call);
      const namespace = open(machine, call);
      if (hasIpam(config) || kind.needsIpam) ipamOf(config).check(machine, call);
      if (!isJsonObject(config.prevResult)) throw new PluginError("Required prevResult missing");
      kind.checkLinks(machine, call);
      checkNetwork(namespace, namesOf(call).ifName, config.prevResult);
    },
    del: (machine, call) => detach(kind, machine, call),
  };
}

/** Makes the link of a call. */
function makeLink(kind: Kind, machine: Machine, call: PluginCall): Link {
  const { ifName } = namesOf(call);
  const namespace = open(machine, call);
  if (ifName === "all" || ifName === "default") {
    const words = kind.link === "veth" ? "failed to make veth pair" : `failed to rename ${kind.link} to "${ifName}"`;
    throw new PluginError(`${words}: invalid argument`);
  }
  const there = namespace.links.get(ifName);
  const problem = there || ifName === "lo" ? kind.ifTaken(ifName, call.config) : undefined;
  if (problem !== undefined) throw new PluginError(problem);
  return there ?? machine.addLink(namespace, ifName, kind.link);
}

/** ADD. */
export function* attach(kind: Kind, machine: Machine, call: PluginCall): Steps<JsonObject> {
  const { config } = call;
  const { containerId, netns, ifName } = namesOf(call);
  let leased = kind.first === "lease" ? yield* lease(machine, call) : undefined;
  try {
    kind.begin?.(machine, call);
    const made = makeLink(kind, machine, call);
    // host-device ignores it.
    if (config.mtu && kind.link !== "device") made.attributes.set("mtu", Number(config.mtu));
    const hostSide = kind.hostSide?.(machine, call, made) ?? [];
    yield "link made";
    const interfaces = [...hostSide, { name: ifName, mac: made.mac, sandbox: netns }];
    const result = { cniVersion: "1.1.0", interfaces };
    if (hasIpam(config)) leased ??= yield* lease(machine, call);
    if (!leased) return result;
    const ips: FilledIp[] = leased.ips.map((ip) => ({ ...ip }));
    if (ips.length === 0) throw new PluginError("IPAM plugin returned missing IP config");
    const added = kind.plan?.(config, ips, leased.routes) ?? [];
    const routes = [...leased.routes, ...added];
    const link = configure(open(machine, call), ifName, { ips, routes }, added);
    yield "address set";
    kind.finish?.(machine, call, { link, ips });
    // A bridge may have another MAC by now.
    result.interfaces = [...(kind.hostSide?.(machine, call, made) ?? []), ...interfaces.slice(-1)];
    if (config.ipMasq && kind.link === "veth")
      for (const { address } of ips) yield* masquerade(machine, masqueradedNetwork(call), containerId, address);
    const placed = ips.map((ip) => ({ ...ip, interface: hostSide.length }));
    return { ...result, ips: placed, ...(routes.length > 0 && { routes }) };
  } catch (error) {
    if (leased) ipamOf(config).release(machine, call);
    throw error;
  }
}

function* lease(machine: Machine, call: PluginCall): Steps<Leased> {
  const leased = yield* ipamOf(call.config).reserve(machine, call);
  yield "leased";
  // It cannot read such an answer, and frees no address then.
  if (leased.routes.some(({ dst }) => dst === undefined)) throw new PluginError("invalid CIDR address: <nil>");
  return leased;
}

/** DEL. */
export function* detach(kind: Kind, machine: Machine, call: PluginCall): Steps {
  const { config } = call;
  const { containerId, ifName } = namesOf(call);
  const isLayer3 = hasIpam(config) || (kind.needsIpam === true && kind.first === "lease");
  kind.begin?.(machine, call);
  if (kind.needsNamespace) {
    if (!call.env.CNI_NETNS) return;
    open(machine, call);
  }
  const release = () => {
    if (isLayer3) ipamOf(config).release(machine, call);
  };
  if (kind.freesFirst) release();
  yield "released";
  const links = namespaceIn(machine, call)?.links;
  const link = links?.get(ifName);
  kind.unmake?.(machine, call, link);
  links?.delete(ifName);
  yield "link deleted";
  if (!kind.freesFirst) release();
  // The addresses come from the link. Without it or without the namespace, the rules stay (plugins#810).
  const addresses = config.ipMasq && kind.link === "veth" ? link?.addresses : undefined;
  unmasquerade(machine, masqueradedNetwork(call), containerId, addresses ?? []);
}

/** By nftables, each interface has rules of its own (pkg/ip/ipmasq_nftables_linux.go), as if it had a network of its own. */
function masqueradedNetwork(call: PluginCall): string {
  const { network, ifName } = namesOf(call);
  return call.config.ipMasqBackend === "nftables" ? `${network}/${ifName}/` : network;
}

/** A chain for the network and the container, whatever the interface (pkg/ip/ipmasq_iptables_linux.go). */
export function* masquerade(machine: Machine, network: string, containerId: string, address: string): Steps {
  const chain = chainFor(network, containerId, address);
  machine.chains.add(chain);
  machine.appendUnique(chain, `-d ${address} -j ACCEPT`);
  machine.appendUnique(chain, `! -d ${isIpv6(address) ? "ff00::/8" : "224.0.0.0/4"} -j MASQUERADE`);
  yield "chain filled";
  machine.appendUnique("POSTROUTING", `-s ${addressIn(address)} -j ${chain}`);
  yield "masqueraded";
}

/** Removes the chain after each address, and goes on with the next one if it cannot. */
function unmasquerade(machine: Machine, network: string, containerId: string, addresses: readonly string[]): void {
  const errors = addresses.flatMap((address) => {
    const chain = chainFor(network, containerId, address);
    const jump = `-s ${addressIn(address)} -j ${chain}`;
    machine.removeRules((rule) => rule.chain === "POSTROUTING" && rule.text === jump);
    return machine.deleteChain(chain) ? [] : "CHAIN_DEL failed: Device or resource busy";
  });
  if (errors.length > 0) throw new PluginError(errors.join("\n"));
}

/** IPv4 and IPv6 have tables of their own. */
function chainFor(network: string, containerId: string, address: string): string {
  return `CNI-${network}${containerId}${isIpv6(address) ? " (IPv6)" : ""}`;
}
