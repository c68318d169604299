import type { Change } from "./shims.ts";

/** A change of one executable, and the problem that a load must then show. */
export interface PlantedChange extends Change {
  readonly shows: RegExp;
}

const onAdd = (command: string) => `[ "$CNI_COMMAND" != ADD ] || ${command}`;
const onDel = (command: string) => `[ "$CNI_COMMAND" != DEL ] || ${command}`;

/** One change for each promise of the load. */
export const plantedChanges: Readonly<Record<string, PlantedChange>> = {
  "a lease that stays": {
    executable: "host-local",
    script: onDel("exit 0"),
    shows: /^left: \+.*\/var\/lib\/cni\/networks\//,
  },
  "an interface that stays in the namespace": {
    executable: "bridge-wrapper",
    script: onDel('[ "$CNI_IFNAME" = eth1 ] || exit 0'),
    shows: /left in its namespace: eth/,
  },
  "an interface that stays on the host": {
    executable: "bridge-wrapper",
    script: onAdd("ip link add s$$ type veth peer t$$"),
    shows: /^left: \+.*\/links\//,
  },
  "iptables rules that stay": {
    executable: "firewall-wrapper",
    script: onAdd("iptables -A INPUT -s 10.9.9.9 -j ACCEPT"),
    shows: /^left: \+\/packetRules/,
  },
  "a port that stays published": {
    executable: "portmap",
    script: onDel("exit 0"),
    shows: /^left: \+\/(nft|packetRules)/,
  },
  "a journal that stays": {
    executable: "ptp-wrapper",
    script: onDel('cp "/var/lib/cni/wrappers/$CNI_CONTAINERID/routed:eth0" /var/lib/cni/wrappers/kept-$$'),
    shows: /^left: \+.*\/var\/lib\/cni\/wrappers\//,
  },
  "a temporary file": { executable: "tuning-wrapper", script: ": >/tmp/stray-$$", shows: /^left: \+file \/tmp\/stray/ },
  "a process that goes on": {
    executable: "macvlan-wrapper",
    script: onAdd("sleep 600 </dev/null >/dev/null 2>&1 &"),
    shows: /^left: \+process \(sleep\)/,
  },
  "a neighbour whose address is lost": {
    executable: "tuning-wrapper",
    script: onDel("ip -n neighbour-ports address flush dev eth1"),
    shows: /CHECK of neighbour-ports/,
  },
  "a CHECK that fails": {
    executable: "bridge-wrapper",
    script: '[ "$CNI_COMMAND" != CHECK ] || exit 1',
    shows: /CHECK failed without a kill/,
  },
  "a wrapper that gets no memory": {
    executable: "ptp-wrapper",
    script: "ulimit -S -v 1000",
    shows: /ADD failed without a kill/,
  },
};
