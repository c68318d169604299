import { isIP } from "node:net";
import path from "node:path";
import type { Left } from "../../../cli/explain/list-run.ts";
import type { Lab } from "../../support/lab.ts";

/** What is on the host besides its own: each thing by the line that shows it. */
export type HostThings = ReadonlyMap<string, Left>;

// Files that only say what happened, or that the runtime keeps, are not things of a container.
const look = (id: string) => `
  { iptables-save; ip6tables-save; } 2>/dev/null
  for table in "inet cni_plugins_masquerade" "ip cni_hostport" "ip6 cni_hostport"; do nft list table $table; done 2>/dev/null
  ip -o link | sed 's/^[0-9]*: /link /'
  cd / && grep -rlsF "${id}" /var/lib /run --exclude-dir=lab --exclude-dir=netns --exclude-dir=results | while read -r file
  do grep -qs '"level"' "$file" || echo "file $file"; done
  find /var/lib /run -path /run/lab -prune -o -path /run/netns -prune -o -path '*/results' -prune -o -type f -name '*${id}*' -print | sed 's/^/file /'
`;

/** Returns the things on a lab's host that may be of a container. */
export async function hostThings(lab: Lab, id: string): Promise<HostThings> {
  const { stdout } = await lab.call("sh", ["-c", look(id)]);
  const things = new Map<string, Left>();
  let table = "";
  for (const line of stdout.split("\n")) {
    table = /^table (.*) \{/.exec(line)?.[1] ?? (line.startsWith("*") ? line : table);
    const thing = thingOf(line);
    // Files and links are in no table.
    if (thing) things.set(/^(file|link) /.test(line) ? line : `${table} ${line}`, thing);
  }
  return things;
}

function thingOf(line: string): Left | undefined {
  const [, file] = /^file (.*)/.exec(line) ?? [];
  if (file !== undefined) {
    const name = path.basename(file);
    return isIP(name) ? { kind: "lease", name } : { kind: "file", name: file };
  }
  const [, link] = /^link ([^:@]*)/.exec(line) ?? [];
  // A bridge serves all containers, and stays.
  if (link !== undefined) return /^(veth|bwp)/.test(link) ? { kind: "interface", name: link } : undefined;
  const [, masqueraded] = /(?:^-A POSTROUTING -s|\bip6? saddr) ([^/ ]+).*(?:-j CNI-|\bmasquerade )/.exec(line) ?? [];
  if (masqueraded !== undefined) return { kind: "masquerading", name: masqueraded };
  const [, passed] = /^-A CNI-FORWARD -[sd] ([^/ ]+)/.exec(line) ?? [];
  if (passed !== undefined) return { kind: "firewall rule", name: passed };
  const [, protocol, port] = /^-A CNI-HOSTPORT-DNAT -p (\w+) .*--dports (\d+)/.exec(line) ?? [];
  if (port !== undefined) return { kind: "port", name: `${port}/${protocol}` };
  const [, nftProtocol, nftPort] = /^\s*(tcp|udp|sctp) dport (\d+) dnat/.exec(line) ?? [];
  return nftPort === undefined ? undefined : { kind: "port", name: `${nftPort}/${nftProtocol}` };
}

/** Returns what of `made` is still there, each once. */
export function stillThere(made: HostThings, now: HostThings): Left[] {
  return [...made].filter(([line]) => now.has(line)).map(([, thing]) => thing);
}

/** Returns what a call made. */
export function madeBetween(before: HostThings, after: HostThings): HostThings {
  return new Map([...after].filter(([line]) => !before.has(line)));
}
