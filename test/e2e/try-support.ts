import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { attempt } from "../../shared/host/node/files.ts";
import { Lab } from "../support/lab.ts";
import { expectPassed } from "./calls.ts";
import { bridge, front, hostLocal, portmap, published, wrapped, zone } from "./support.ts";

/** Everything of a host that a list can change, and its processes and namespaces. */
const state = `
find /var/lib /var/log /opt -type f ! -path '/opt/cni/bin/*' | sort | xargs sha256sum
find /run /var/lib /opt ! -path '/run/lab/*' ! -path '/opt/cni/bin/*' | sort
ip -json address | sed 's/"tentative":true,//g'; ip route show table all; ip rule; ip netns
iptables-save | grep -v '^#' | sed 's/\\[[0-9:]*\\]//'; ip6tables-save | grep -v '^#' | sed 's/\\[[0-9:]*\\]//'; nft --stateless list ruleset
cat /proc/self/mountinfo
for key in ipv4/ip_forward ipv4/conf/all/forwarding ipv6/conf/all/forwarding core/somaxconn; do cat /proc/sys/net/$key; done
hostname
`;

/** The state of a lab's host. */
export function stateOf(lab: Lab): Promise<string> {
  return lab.run("sh", ["-c", state]);
}

/** The processes of a lab, each with its namespaces. Whoever looks from outside is not among them. */
export function processesOf(lab: Lab): readonly string[] {
  const proc = lab.path("/proc");
  const read = (id: string) => {
    const kinds = ["net", "mnt", "pid", "ipc", "uts"].map((kind) => readlinkSync(`${proc}/${id}/ns/${kind}`));
    return [id, readFileSync(`${proc}/${id}/cmdline`, "utf8").replaceAll("\0", " "), ...kinds].join(" ");
  };
  // One can end meanwhile.
  const ids = readdirSync(proc).filter((name) => /^\d+$/.test(name));
  return ids.flatMap((id) => attempt(() => read(id)) ?? []);
}

const answer = 'config=$(cat); [ "$CNI_COMMAND" != ADD ] || echo "$config" | jq .prevResult';

/** A chained plugin that leaves what no reference plugin leaves. */
const leaky = `#!/bin/sh
if [ "$CNI_COMMAND" = ADD ]; then
  number=\${CNI_CONTAINERID##*-}
  ip link add leak$number type veth peer name kael$number
  ip link set leak$number up
  ip route add 10.99.$number.0/24 dev leak$number
  ip rule add priority 100 from 10.99.$number.0/24 table 7
  echo $number >/run/leaky-$number
  echo 1 >/run/once
fi
${answer}
`;

/** A host with a card, a bridge of its own, and containers with leases, rules and journals. */
export async function usedHost(): Promise<Lab> {
  const lab = await Lab.start();
  // Otherwise the kernel looks for other hosts with its IPv6 addresses, for two seconds.
  const withoutSearch = "for one in /proc/sys/net/ipv6/conf/*/accept_dad; do echo 0 >$one; done";
  const anew = "for one in uplink0 uplink1; do ip link set $one down; ip link set $one up; done";
  await lab.run("sh", ["-ec", `${withoutSearch}; ${anew}`]);
  const commands = [
    "address add 192.0.2.10/24 dev uplink0",
    "route add default via 192.0.2.1",
    "link add lan0 type bridge",
  ];
  for (const line of [...commands, "address add 10.44.0.1/24 dev lan0", "link set lan0 up"])
    await lab.run("ip", line.split(" "));
  const leases = { ...hostLocal("172.28.0.0/24"), dataDir: "/var/lib/leases" };
  const list = zone(
    wrapped({ ...front, bridge: "live0", ipMasq: true }),
    wrapped({ ...bridge, bridge: "live1", ipam: leases }, "eth1"),
    wrapped(portmap),
  );
  expectPassed(await lab.goCni.add(list, await lab.addContainer("c1"), published(7000)));
  await lab.writeScript("/opt/cni/bin/leaky", leaky);
  for (let [before, now] = ["", await stateOf(lab)]; before !== now; [before, now] = [now, await stateOf(lab)])
    await setTimeout(200);
  return lab;
}
