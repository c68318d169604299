import { type Before, now } from "./case.ts";
import type { Chain } from "./chain.ts";
import { difference } from "./state.ts";

/** A trace of each kind, the command that leaves it, and the one that removes it. */
const traces = {
  lease: ["printf victim >/var/lib/cni/networks/zone/172.16.5.99", "rm /var/lib/cni/networks/zone/172.16.5.99"],
  link: ["ip link add stray0 type veth peer stray1", "ip link delete stray0"],
  "link in the container": ["ip -n victim link add eth1 type veth peer eth2", "ip -n victim link delete eth1"],
  rule: [
    "iptables -t nat -A POSTROUTING -s 172.26.64.9 -j ACCEPT",
    "iptables -t nat -D POSTROUTING -s 172.26.64.9 -j ACCEPT",
  ],
  record: [": >/var/lib/cni/wrappers/zone:victim:eth0:eth0", "rm /var/lib/cni/wrappers/*:victim:*"],
  "temporary record": [": >/var/lib/cni/wrappers/.new", "rm /var/lib/cni/wrappers/.new"],
  "temporary file": [": >/tmp/stray", "rm /tmp/stray"],
  process: ["sleep 600 >/dev/null 2>&1 & echo $! >/run/lab/stray", "kill $(cat /run/lab/stray)"],
  "neighbour's address": [
    "ip -n neighbour address add 10.9.9.9/32 dev eth1",
    "ip -n neighbour address delete 10.9.9.9/32 dev eth1",
  ],
} as const;

/** Leaves a trace of each kind on a host. Returns the names of those that the comparison does not see. */
export async function unseenTraces(chain: Chain, { alone }: Before): Promise<string[]> {
  const unseen: string[] = [];
  for (const [name, [plant, remove]] of Object.entries(traces)) {
    await chain.lab.run("sh", ["-ec", plant]);
    if (difference(alone, await now(chain)).length === 0) unseen.push(name);
    await chain.lab.run("sh", ["-ec", remove]);
  }
  return unseen;
}

/** The number of planted traces. */
export const plantedTraces = Object.keys(traces).length;
