import type { Machine } from "./machine.ts";
import { isIpv6 } from "./network.ts";
import { PluginError, type Steps, withoutPrefix } from "./plugin.ts";

/** A chain for the network and the container, whatever the interface (pkg/ip/ipmasq_iptables_linux.go). */
export function* masquerade(machine: Machine, network: string, containerId: string, address: string): Steps {
  const chain = chainFor(network, containerId, address);
  machine.chains.add(chain);
  machine.appendUnique(chain, `-d ${address} -j ACCEPT`);
  machine.appendUnique(chain, `! -d ${isIpv6(address) ? "ff00::/8" : "224.0.0.0/4"} -j MASQUERADE`);
  yield "chain filled";
  machine.appendUnique("POSTROUTING", `-s ${withoutPrefix(address)} -j ${chain}`);
  yield "masqueraded";
}

/** Removes the chain after each address, and goes on with the next one if it cannot. */
export function unmasquerade(
  machine: Machine,
  network: string,
  containerId: string,
  addresses: readonly string[],
): void {
  const errors = addresses.flatMap((address) => {
    const chain = chainFor(network, containerId, address);
    const jump = `-s ${withoutPrefix(address)} -j ${chain}`;
    machine.removeRules((rule) => rule.chain === "POSTROUTING" && rule.text === jump);
    return machine.deleteChain(chain) ? [] : "CHAIN_DEL failed: Device or resource busy";
  });
  if (errors.length > 0) throw new PluginError(errors.join("\n"));
}

/** IPv4 and IPv6 have tables of their own. */
function chainFor(network: string, containerId: string, address: string): string {
  return `CNI-${network}${containerId}${isIpv6(address) ? " (IPv6)" : ""}`;
}
