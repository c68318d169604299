import type { Machine } from "./machine.ts";
import { PluginError, type Steps, withoutPrefix } from "./plugin.ts";

/** A chain for the network and the container, whatever the interface (pkg/ip/ipmasq_iptables_linux.go). */
export function* masquerade(machine: Machine, network: string, containerId: string, address: string): Steps {
  const chain = `CNI-${network}${containerId}`;
  machine.chains.add(chain);
  machine.appendUnique(chain, `-d ${address} -j ACCEPT`);
  machine.appendUnique(chain, "! -d 224.0.0.0/4 -j MASQUERADE");
  yield "chain filled";
  machine.appendUnique("POSTROUTING", `-s ${withoutPrefix(address)} -j ${chain}`);
  yield "masqueraded";
}

export function unmasquerade(machine: Machine, network: string, containerId: string, address: string): void {
  const chain = `CNI-${network}${containerId}`;
  const jump = `-s ${withoutPrefix(address)} -j ${chain}`;
  machine.removeRules((rule) => rule.chain === "POSTROUTING" && rule.text === jump);
  if (!machine.deleteChain(chain)) throw new PluginError("CHAIN_DEL failed: Device or resource busy");
}

export function isMasqueraded({ rules }: Machine, address: string): boolean {
  const source = `-s ${withoutPrefix(address)} -j `;
  const jumps = rules.filter(({ chain, text }) => chain === "POSTROUTING" && text.startsWith(source));
  return jumps.some(({ text }) =>
    rules.some((rule) => rule.chain === text.slice(source.length) && rule.text.endsWith("MASQUERADE")),
  );
}
