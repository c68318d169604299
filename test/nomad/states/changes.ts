import { copyFile } from "node:fs/promises";
import path from "node:path";
import { firewall, wrapped } from "../../e2e/support.ts";
import { referencePlugins } from "../../support/go.ts";
import { installed, type Own, type Plugin } from "./host.ts";
import { good } from "./lists.ts";
import { type Change, inEach, type State, shellForEach } from "./state.ts";

const portmap = { type: "portmap", capabilities: { portMappings: true }, snat: true };

/** The wrapped creators, then another plugin. */
function followedBy(plugin: Plugin) {
  return ({ list, macvlan, bridge }: Own) => list(wrapped(macvlan), wrapped(bridge, "eth1"), plugin);
}

function layer2({ bridge }: Own): Plugin {
  return { ...bridge, isGateway: false };
}

// The bridge takes the smallest MAC of its ports.
async function joinPort({ lab, own: { device, network } }: Change): Promise<void> {
  const port = ["link", "add", `p-${network}`, "address", "02:00:00:00:00:01"];
  await lab.ip(undefined, ...port, "type", "veth", "peer", "name", `q-${network}`);
  await lab.ip(undefined, "link", "set", `p-${network}`, "master", device, "up");
}

// An installed plugin is a mount.
async function removePtp({ lab }: Change): Promise<void> {
  await lab.run("sh", ["-ec", "umount /opt/cni/bin/ptp; rm /opt/cni/bin/ptp"]);
}

async function installOldTuning({ lab }: Change): Promise<void> {
  await lab.run("umount", ["/opt/cni/bin/tuning"]);
  await copyFile(path.join(await referencePlugins("1.3.0"), "tuning"), lab.path("/opt/cni/bin/tuning"));
  await lab.run("chmod", ["+x", "/opt/cni/bin/tuning"]);
}

// Nomad reads the files in the order of their names.
async function putFirst({ lab, own }: Change): Promise<void> {
  const other = own.list(wrapped(own.macvlan, "eth5"));
  await lab.writeFile(`/opt/cni/config/00-${own.network}.conflist`, JSON.stringify(other));
}

const deleteFirewallRule = `address=$(ip -n $1 -json -4 address show dev eth1 | jq -r '.[0].addr_info[0].local')
iptables -S CNI-FORWARD | grep " $address/32 " | sed 's/^-A/iptables -D/' | sh -e`;
const deletePortRule = "iptables -t nat -S CNI-HOSTPORT-DNAT | grep $1 | sed 's/^-A/iptables -t nat -D/' | sh -e";
const leaveBridge = `name=$(ip -o link show type veth | grep "link-netns $1" | sed 's/^[0-9]*: \\(.*\\)@.*/\\1/')
ip link set dev $name nomaster`;

/** The states that come from what happens on the host after ADD. */
export const changeStates: readonly State[] = [
  { name: "address lost", list: good, change: inEach("address", "flush", "dev", "eth1") },
  { name: "link lost", list: good, change: inEach("link", "delete", "eth1") },
  { name: "route lost", list: good, change: inEach("route", "delete", "10.99.0.0/16") },
  { name: "port taken off its bridge", list: good, change: shellForEach(leaveBridge) },
  { name: "firewall's rule deleted", list: followedBy(firewall), change: shellForEach(deleteFirewallRule) },
  {
    name: "portmap's rule deleted",
    list: followedBy(portmap),
    isPublished: true,
    change: shellForEach(deletePortRule),
  },
  { name: "lease lost", list: good, change: shellForEach("grep -l $1 /var/lib/cni/networks/$2-eth1/* | xargs rm") },
  { name: "result lost", list: good, change: shellForEach("rm /var/lib/cni/results/$2-$1-eth0") },
  { name: "namespace gone", list: good, change: shellForEach("ip netns delete $1") },
  {
    name: "bridge on layer 2 with a new port, wrapped",
    list: (own) => own.list(wrapped(own.macvlan), wrapped(layer2(own), "eth1")),
    change: joinPort,
  },
  { name: "bridge on layer 2 with a new port, plain", list: (own) => own.list(layer2(own)), change: joinPort },
  { name: "sbr, wrapped", list: followedBy({ type: "sbr-wrapper", wrapper: { ifName: "eth1" } }) },
  { name: "sbr, plain", list: ({ list, macvlan }) => list(macvlan, { type: "sbr" }) },
  {
    name: "plugin missing",
    list: ({ list, macvlan, bridge }) => list(wrapped(macvlan), wrapped({ type: "ptp", ipam: bridge.ipam }, "eth1")),
    change: removePtp,
  },
  {
    name: "plugin too old",
    list: (own) => ({ ...followedBy({ type: "tuning" })(own), cniVersion: "1.1.0" }),
    change: installOldTuning,
  },
  { name: "another list of its name comes first", list: good, change: putFirst },
  { name: "list removed", list: good, change: ({ lab, own }) => lab.run("rm", [installed(own)]) },
];
