import { readFileSync } from "node:fs";
import path from "node:path";
import { hostLocal } from "../../e2e/support.ts";
import { Lab } from "../../support/lab.ts";
import type { NetworkList } from "../../support/runtime.ts";

/** A plugin's configuration. */
export type Plugin = Record<string, unknown>;

/** The names and subnets of one state's network. No other state has them, so that no state changes another. */
export interface Own {
  /** The name of the list, and of the job's group. */
  readonly network: string;
  readonly macvlan: Plugin;
  readonly bridge: Plugin;
  /** The name of the bridge. */
  readonly device: string;
  /** Another bridge, with a subnet of its own. */
  readonly secondBridge: Plugin;
  /** host-local with a subnet that no list has at first. */
  readonly otherIpam: Plugin;
  readonly list: (...plugins: Plugin[]) => NetworkList;
}

/** The names and subnets of the state with this number, 1 to 254. */
export function ownOf(number: number): Own {
  const [network, device] = [`n${number}`, `br${number}`];
  const macvlan = { type: "macvlan", master: "uplink0", mode: "bridge", ipam: ipam(`172.16.${number}`, "0.0.0.0/0") };
  const bridge = { type: "bridge", bridge: device, isGateway: true, ipam: ipam(`172.26.${number}`, "10.99.0.0/16") };
  const secondBridge = {
    type: "bridge",
    bridge: `other${number}`,
    isGateway: true,
    ipam: hostLocal(`172.27.${number}.0/24`),
  };
  const list = (...plugins: Plugin[]) => ({ cniVersion: "1.0.0", name: network, plugins });
  return { network, macvlan, bridge, secondBridge, device, otherIpam: hostLocal(`172.28.${number}.0/24`), list };
}

/** The file of a state's list. */
export function installed({ network }: Own): string {
  return `/opt/cni/config/${network}.conflist`;
}

/** The host's address in macvlan's subnet of the state with this number. */
export function hostAddress(number: number): string {
  return `172.16.${number}.1/24`;
}

function ipam(prefix: string, destination: string): Plugin {
  return hostLocal(`${prefix}.0/24`, { dst: destination, gw: `${prefix}.1` });
}

/**
 * Installs scripts that run bridge or ptp for a second interface: the first one merges the results, the others forget to
 * report their interface. They have names of their own, because the wrappers of the same host must find the real plugins.
 */
export async function installScripts(lab: Lab): Promise<void> {
  const file = path.join(import.meta.dirname, "../merge-only/bridge");
  const merging = readFileSync(file, "utf8").replace("/../bridge", "/bridge");
  const forgetting = merging.replace(/--slurp '.*'/s, "--slurp '.[0].prevResult'");
  const scripts = {
    "bridge-merging": merging,
    "bridge-forgetting": forgetting,
    "bridge-forgetting-eth2": forgetting.replace("CNI_IFNAME=eth1", "CNI_IFNAME=eth2"),
    // Its leases are where a wrapper's would be.
    "bridge-forgetting-apart": forgetting.replace("$(</dev/stdin)", `$(jq '.name += "-eth1"')`),
    "ptp-forgetting": forgetting.replace("/bridge", "/ptp"),
    // It stands at the end of a list, and reports only the first interface.
    "cut-result": cutResult,
  };
  for (const [name, text] of Object.entries(scripts)) await lab.writeScript(`${Lab.pluginPath}/${name}`, text);
}

const cutResult = `#!/bin/sh
[ "$CNI_COMMAND" ] || { echo "cut-result v1.0.0"; exit 0; }
[ "$CNI_COMMAND" = ADD ] || exit 0
jq '.prevResult | .interfaces |= .[:1] | .ips |= map(select(.interface == 0))'
`;
