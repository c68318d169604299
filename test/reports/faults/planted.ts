import { type Before, now } from "./case.ts";
import type { Chain } from "./chain.ts";
import { difference } from "./state.ts";

/** A trace of each kind, the command that leaves it, and the one that removes it. */
const traces = [
  {
    name: "lease",
    plant: "printf victim >/var/lib/cni/networks/zone/172.16.5.99",
    remove: "rm /var/lib/cni/networks/zone/172.16.5.99",
  },
  { name: "link", plant: "ip link add stray0 type veth peer stray1", remove: "ip link delete stray0" },
  {
    name: "link in the container",
    plant: "ip -n victim link add eth1 type veth peer eth2",
    remove: "ip -n victim link delete eth1",
  },
  {
    name: "rule",
    plant: "iptables -t nat -A POSTROUTING -s 172.26.64.9 -j ACCEPT",
    remove: "iptables -t nat -D POSTROUTING -s 172.26.64.9 -j ACCEPT",
  },
  {
    name: "record",
    plant: ": >/var/lib/cni/wrappers/zone:victim:eth0:eth0",
    remove: "rm /var/lib/cni/wrappers/*:victim:*",
  },
  { name: "temporary record", plant: ": >/var/lib/cni/wrappers/.new", remove: "rm /var/lib/cni/wrappers/.new" },
  { name: "temporary file", plant: ": >/tmp/stray", remove: "rm /tmp/stray" },
  {
    name: "process",
    plant: "sleep 600 >/dev/null 2>&1 & echo $! >/run/lab/stray",
    remove: "kill $(cat /run/lab/stray)",
  },
  {
    name: "neighbour's address",
    plant: "ip -n neighbour address add 10.9.9.9/32 dev eth1",
    remove: "ip -n neighbour address delete 10.9.9.9/32 dev eth1",
  },
] as const;

/** Leaves a trace of each kind on a host. Returns the names of those that the comparison does not see. */
export async function unseenTraces(chain: Chain, { alone }: Before): Promise<string[]> {
  const unseen: string[] = [];
  for (const { name, plant, remove } of traces) {
    await chain.lab.run("sh", ["-ec", plant]);
    if (difference(alone, await now(chain)).length === 0) unseen.push(name);
    await chain.lab.run("sh", ["-ec", remove]);
  }
  return unseen;
}

/** The number of planted traces. */
export const plantedTraces = traces.length;
