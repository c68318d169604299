import type { NetworkList } from "../support/runtime.ts";
import { bridge, front, hostLocal, macvlan, portmap, wrapped, zone } from "./support.ts";

/** A list, and what `try` must say of it. */
export interface Row {
  readonly list: NetworkList;
  /** A kind of link. A kernel without it fails the first ADD, in these words. */
  readonly needs?: readonly [kind: string, words: string];
  readonly args?: readonly string[];
  readonly exit: 0 | 1 | 2;
  /** The interfaces and addresses that the first ADD gives. */
  readonly gives?: string;
  /** Each step that does not pass with its plugin's words, why nothing was run, and what is left. */
  readonly says?: readonly string[];
  readonly notes?: readonly string[];
}

const veth = ["--veth"];
const l1 = { lone: "ADD of a container", its: "CHECK of it", second: "ADD of a second container" };
const seconds = "CHECK of the second";
const again = "CHECK of the first again";
const repeated = "ADD of the third again, as Nomad does";
const thirds = "CHECK of the third";
const rest = [l1.its, seconds, again];

const back = { ...bridge, ipam: hostLocal("172.26.64.0/20") };
const eth1 = wrapped(back, "eth1");
const two = (...more: Record<string, unknown>[]) => zone(wrapped(front), eth1, ...more);
const given = "eth0 172.30.0.2/20, eth1 172.26.64.2/20";
const vethExists = 'bridge (plugin 1): container veth name ("eth0") peer provided ("vethX") already exists';
const del = "DEL of the first";
const leftJournal = "left: file /var/lib/cni/wrappers/cni-wrappers-try-2/zone:eth0";
const ofEach = [
  [l1.its, 2],
  [seconds, 3],
  [again, 2],
  [thirds, 4],
] as const;
const rules = ofEach.map(
  ([step, last]) =>
    `${step}: fails: firewall (plugin 2): expected rule [-d 172.26.64.${last}/32 -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT] not found`,
);
const leases = (dataDir: string) => ({ ...front, ipam: { ...hostLocal("172.30.0.0/20"), dataDir } });

/** Lists that pass. */
export const right: Readonly<Record<string, Row>> = {
  "macvlan and bridge": {
    ...{ list: zone(wrapped(macvlan), wrapped(bridge, "eth1")), args: veth, exit: 0 },
    ...{
      gives: "eth0 172.16.5.2/24, eth1 172.26.64.2/20",
      notes: ["uplink0 is a veth here, with the addresses of the host's: 192.0.2.10/24"],
    },
  },
  "two bridges with portmap": {
    ...{ list: two(wrapped(portmap)), exit: 0, gives: given },
    notes: ["invented ports: 20080:80; --port names others"],
  },
  "two bridges with a port": {
    list: two(wrapped(portmap, "eth1")),
    args: ["--port", "60000:80"],
    exit: 0,
    gives: given,
    notes: [],
  },
  "bandwidth with the runtime's rates": {
    ...{ list: two(wrapped({ type: "bandwidth", capabilities: { bandwidth: true } })), exit: 0, gives: given },
    notes: ["bandwidth-wrapper limits nothing: it has no rate, and gets none here"],
  },
  "vlan and bridge": {
    needs: ["vlan", "vlan-wrapper (plugin 1): failed to create vlan: operation not supported"],
    ...{
      list: zone(wrapped({ type: "vlan", master: "uplink0", vlanId: 7, ipam: hostLocal("172.16.5.0/24") }), eth1),
      args: veth,
      exit: 0,
    },
    gives: "eth0 172.16.5.2/24, eth1 172.26.64.2/20",
  },
  "one plain bridge": { list: zone(front), exit: 0, gives: "eth0 172.30.0.2/20" },
  "macvlan on the card of the default route": {
    ...{
      list: zone(wrapped({ ...macvlan, master: undefined })),
      args: veth,
      exit: 0,
      gives: "eth0 172.16.5.2/24",
    },
  },
  disableCheck: {
    ...{ list: { ...two(), disableCheck: true }, exit: 0, gives: given },
    says: [...rest, thirds].map((step) => `${step}: not run: the list has disableCheck`),
    notes: ["CHECK was not run, as the list has disableCheck: no runtime runs it, and none sees a broken network"],
  },
  "the host's bridge": {
    ...{
      list: zone(wrapped({ ...front, bridge: "lan0", ipam: hostLocal("10.44.0.0/24") }), eth1),
      exit: 0,
      gives: "eth0 10.44.0.2/24, eth1 172.26.64.2/20",
    },
    notes: ["lan0 is made again here, with the addresses of the host's: 10.44.0.1/24"],
  },
  "leases in a directory with others": { list: zone(wrapped(leases("/var/lib/leases")), eth1), exit: 0, gives: given },
  "leases in a directory that is missing": {
    list: zone(wrapped(leases("/var/lib/none/leases")), eth1),
    exit: 0,
    gives: given,
  },
  "a log": {
    list: zone({ ...wrapped(front), wrapper: { log: { file: "/var/log/wrapper.log", level: "debug" } } }, eth1),
    exit: 0,
    gives: given,
  },
};

/** Lists that fail. */
export const wrong: Readonly<Record<string, Row>> = {
  "half wrapped": {
    ...{ list: zone(front, eth1), exit: 1, gives: given },
    says: [
      "CHECK of it: fails: bridge (plugin 1): Failed to match addr 172.26.64.2/20 on interface eth0",
      "CHECK of the second: fails: bridge (plugin 1): Failed to match addr 172.26.64.3/20 on interface eth0",
      "CHECK of the first again: fails: bridge (plugin 1): Failed to match addr 172.26.64.2/20 on interface eth0",
      `${repeated}: fails: ${vethExists}`,
    ],
  },
  "host-device": {
    ...{
      list: zone(wrapped({ type: "host-device", device: "uplink0", ipam: hostLocal("172.16.5.0/24") }), eth1),
      args: veth,
      exit: 1,
    },
    gives: "eth0 172.16.5.2/24, eth1 172.26.64.2/20",
    says: [`${l1.second}: fails: host-device-wrapper (plugin 1): failed to find host device: Link not found`],
  },
  "one fixed address": {
    list: zone(wrapped({ ...front, ipam: { type: "static", addresses: [{ address: "172.30.0.9/20" }] } })),
    ...{
      exit: 1,
      gives: "eth0 172.30.0.9/20",
      says: [`${l1.second}: fails: it gets 172.30.0.9/20, which the first one has, too`],
    },
  },
  "a plugin that is missing": {
    ...{ list: zone(wrapped(front), { type: "nix" }), exit: 1 },
    says: [
      ...[l1.lone, del].map(
        (step) => `${step}: fails: nix (plugin 2): failed to find plugin "nix" in path [/opt/cni/bin /usr/libexec/cni]`,
      ),
      // libcni's DEL begins with the last plugin, and stops there.
      "left: file /var/lib/cni/networks/zone/172.30.0.3",
      leftJournal,
    ],
  },
  "a directory of plugins that is missing": {
    ...{ list: zone(wrapped(front)), args: ["--cni-path", "/opt/cni/bim"], exit: 1 },
    says: [l1.lone, del].map(
      (step) =>
        `${step}: fails: bridge-wrapper (plugin 1): failed to find plugin "bridge-wrapper" in path [/opt/cni/bim]`,
    ),
    notes: ["Install the wrappers there, with cni-wrappers install", "--cni-path: /opt/cni/bim does not exist"],
  },
  "firewall between": {
    list: zone(wrapped(front), { type: "firewall", backend: "iptables" }, eth1),
    exit: 1,
    gives: given,
    says: [...rules],
  },
  "a plugin that leaves what no reference plugin leaves": {
    ...{ list: two({ type: "leaky" }), exit: 1, gives: given },
    says: [
      "left: link kael3",
      "left: link leak3",
      "left: route dst 10.99.3.0/24 dev leak3 scope link",
      "left: rule priority 100 src 10.99.3.0 srclen 24 table 7",
      "left: file /run/leaky-3",
    ],
  },
};

/** Lists that cannot be tried here. */
export const untried: Readonly<Record<string, Row>> = {
  "a card of the host": {
    list: zone(wrapped(macvlan)),
    exit: 2,
    says: ["not tried: it needs uplink0 of this host: --veth puts a veth there"],
  },
  "leases in a relative directory": {
    list: zone(wrapped(leases("no-such-directory"))),
    exit: 2,
    says: [
      `${l1.lone}: unknown: bridge-wrapper (plugin 1): mkdir no-such-directory: read-only file system`,
      `${del}: unknown: bridge-wrapper (plugin 1): mkdir no-such-directory: read-only file system`,
      leftJournal,
    ],
  },
  "a file that nobody has in /run": {
    ...{
      list: zone(wrapped({ ...front, ipam: { ...hostLocal("172.30.0.0/20"), resolvConf: "/run/nix" } })),
      exit: 2,
    },
    says: [`${l1.lone}: unknown: bridge-wrapper (plugin 1): open /run/nix: no such file or directory`],
  },
};
