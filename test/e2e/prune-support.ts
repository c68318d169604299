import { expect } from "vitest";
import { linesOf } from "../support/kernel.ts";
import { type Container, Lab, type Outcome } from "../support/lab.ts";
import type { AttachOptions, NetworkList } from "../support/runtime.ts";
import { expectPassed } from "./calls.ts";
import { hostLocal, portmap, published } from "./support.ts";

/** A container with its list, as the runtime attached it. */
export interface Attached {
  readonly container: Container;
  readonly list: NetworkList;
  readonly options: AttachOptions;
}

const front = { type: "bridge", bridge: "front0", isGateway: true, ipMasq: true };
const limit = { ingressRate: 1e6, ingressBurst: 1e6, egressRate: 1e6, egressBurst: 1e6 };

/** Lists with everything that stays when a namespace is gone: rules in both backends, leases elsewhere, links, journals. */
export const networks: readonly NetworkList[] = [
  {
    cniVersion: "1.0.0",
    name: "classic",
    plugins: [
      { ...front, type: "bridge-wrapper", ipam: hostLocal("172.16.10.0/24") },
      { type: "macvlan-wrapper", master: "uplink0", ipam: hostLocal("172.16.11.0/24"), wrapper: { ifName: "eth1" } },
      { type: "firewall", backend: "iptables" },
      { ...portmap, type: "portmap-wrapper" },
    ],
  },
  {
    cniVersion: "1.0.0",
    name: "modern",
    plugins: [
      { type: "macvlan-wrapper", master: "uplink0", ipam: hostLocal("172.16.12.0/24") },
      {
        ...{ ...front, type: "bridge-wrapper", bridge: "back0", ipMasqBackend: "nftables", macspoofchk: true },
        // Plugins in Go do not mind the case of a key.
        ...{ ipam: { ...hostLocal("172.16.13.0/24"), DATADIR: "/var/lib/leases" }, wrapper: { ifName: "eth1" } },
      },
      { ...portmap, type: "portmap-wrapper", backend: "nftables", wrapper: { ifName: "eth1" } },
      { type: "bandwidth-wrapper", ...limit, wrapper: { ifName: "eth1" } },
    ],
  },
  {
    cniVersion: "0.4.0",
    name: "plain",
    plugins: [
      { ...front, bridge: "plain0", ipam: hostLocal("172.16.14.0/24") },
      { type: "firewall", backend: "iptables" },
      portmap,
    ],
  },
];

/** Writes the lists into the runtime's directory. */
export async function install(lab: Lab): Promise<void> {
  for (const list of networks) await lab.writeFile(`/opt/cni/config/${list.name}.conflist`, JSON.stringify(list));
}

/** Attaches containers of these names, each with a published port, to the networks in turn. */
export async function attachAll(
  lab: Lab,
  names: readonly string[],
  firstPort: number,
  lists = networks,
): Promise<readonly Attached[]> {
  const attached: Attached[] = [];
  for (const [index, name] of names.entries()) {
    const list = lists[index % lists.length] as NetworkList;
    const options = published(firstPort + index);
    const container = await lab.addContainer(name);
    expectPassed({ ...(await lab.goCni.add(list, container, options)), stdout: "" });
    attached.push({ container, list, options });
  }
  return attached;
}

/** Deletes namespaces: of each second one only the mount, as a crash does. Waits until the kernel has removed the links. */
export async function loseNamespaces(lab: Lab, attached: readonly Attached[]): Promise<void> {
  const results = await Promise.all(
    attached.map(({ container, list }) => lab.kernel.cachedResult(list.name, container.name)),
  );
  const ends = results
    .flatMap(({ interfaces = [] }) => interfaces.map(({ name }) => name))
    .filter((name) => /^veth/.test(name));
  for (const [index, { container }] of attached.entries()) {
    if (index % 2 === 0) await lab.deleteNamespace(container);
    else await lab.run("umount", [container.netns]);
  }
  const isLeft = (name: string) => ends.includes(name);
  await expect.poll(async () => (await lab.kernel.linkNames()).filter(isLeft), { timeout: 30_000 }).toEqual([]);
}

/** Runs a command of the wrappers. */
export function run(lab: Lab, ...args: string[]): Promise<Outcome> {
  return lab.call(Lab.command, args);
}

/**
 * Everything on the host that belongs to containers, a line each: packet rules in their order, links, and files with their
 * content, owner, mode and time. Handles, locks and host-local's last address are of no container.
 */
export async function traces(lab: Lab): Promise<readonly string[]> {
  const content = "base64 -w0 $1; echo";
  const commands = [
    "leases=$(ls -d /var/lib/leases 2>/dev/null)",
    "for save in iptables-nft ip6tables-nft iptables-legacy; do for table in filter nat; do $save-save -t $table | grep -v '^#'; done; done",
    "ip -oneline link show | sed 's/<[^>]*>//; s/ state [A-Z]*//; s/link-netnsid [0-9]*//'",
    "ip -oneline address show scope global",
    `find /var/lib/cni/[nrw]* $leases -type f ! -name lock ! -name 'last_*' -printf '%p %u %m %T@ ' -exec sh -c '${content}' sh {} ';' | sort`,
  ];
  const text = await lab.run("sh", ["-c", commands.join("; ")]);
  // iptables-save shows its own tables. Their order in nftables differs from time to time.
  const tables = linesOf(await lab.run("nft", ["list", "tables"])).filter((table) => !/ip6? (nat|filter)$/.test(table));
  const listed = tables.map((table) => `nft --stateless list ${table}`).sort();
  const ruleset = await lab.run("sh", ["-ec", `true; ${listed.join("; ")}`]);
  return [...linesOf(text.replace(/\[\d+:\d+\]/g, "")), ...withChains(linesOf(ruleset))];
}

/** The lines of a ruleset, each with its table and chain. */
function withChains(lines: readonly string[]): readonly string[] {
  const open: string[] = [];
  return lines.flatMap((line) => {
    if (line === "}") open.pop();
    else if (line.endsWith("{")) open.push(line);
    return line === "}" ? [] : [[...open, line].join(" ")];
  });
}

/** The words by which lines of `traces` belong to containers: ids, addresses, and the chains and links with their checksums. */
export async function tokensOf(
  lab: Lab,
  attached: readonly Attached[],
  lines: readonly string[],
): Promise<readonly RegExp[]> {
  const tokens = await Promise.all(
    attached.map(async ({ container: { name }, list }) => {
      const { ips = [], interfaces = [] } = await lab.kernel.cachedResult(list.name, name);
      const chains = lines.flatMap((line) =>
        line.includes(`id: \\"${name}\\"`) ? ((/CNI-(DN-)?[0-9a-f]{15,}/.exec(line) ?? [])[0] ?? []) : [],
      );
      const links = interfaces.filter((one) => !one.sandbox && /^(veth|bwp)/.test(one.name)).map((one) => one.name);
      return [name, ...ips.map(({ address }) => address.split("/")[0] ?? ""), ...chains, ...links];
    }),
  );
  return tokens.flat().map((token) => new RegExp(`(^|[^0-9a-z.])${token.replaceAll(".", "\\.")}($|[^0-9a-z.])`));
}
