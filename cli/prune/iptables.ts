import { chainName, plainAddress, type Thing } from "./known.ts";

type Table = ReturnType<typeof tablesIn>[number];

// plugins/pkg/ip/ipmasq_iptables_linux.go; plugins/meta/portmap/portmap_iptables.go
const ownChain = /^CNI-(?:DN-|SN-)?[0-9a-f]+$/;
const chainLength = 28;
const comment = /--comment "(?:dnat )?name: \\"([^"\\]+)\\" id: \\"([^"\\]+)\\""/;
// plugins/meta/firewall/iptables.go
const forwardRule =
  /^-A CNI-FORWARD (?:-d (\S+)\/(?:32|128) -m conntrack --ctstate RELATED,ESTABLISHED|-s (\S+)\/(?:32|128)) -j ACCEPT$/;

/**
 * Finds what masquerading, portmap and firewall made for containers in the output of iptables-save. `restore` is the program
 * that takes the same format.
 */
export function thingsInTables(saved: string, restore: string): readonly Thing[] {
  return tablesIn(saved).flatMap((table) => {
    if (table.name === "nat") return chainsIn(table, restore);
    return table.name === "filter" ? forwardRulesIn(table, restore) : [];
  });
}

/** Returns the text that makes iptables-restore remove the rules in one step. */
export function restoreText(table: string, lines: readonly string[]): string {
  return [`*${table}`, ...lines, "COMMIT", ""].join("\n");
}

/** Returns the tables that iptables-save prints: their chains, and their rules as `-A` lines. */
function tablesIn(saved: string) {
  return saved.split(/^\*/m).map((text) => {
    const [name = "", ...lines] = text.split("\n").map((line) => line.trimEnd());
    const chains = lines.flatMap((line) => /^:(\S+) /.exec(line)?.[1] ?? []);
    return { name, chains, rules: lines.filter((line) => line.startsWith("-A ")) };
  });
}

function chainsIn({ chains, rules }: Table, restore: string): readonly Thing[] {
  // guard: a chain of others that begins with CNI-
  const own = chains.filter((chain) => chain.length === chainLength && ownChain.test(chain));
  return own.map((chain) => {
    const jumps = rules.filter((rule) => rule.endsWith(` -j ${chain}`));
    const all = [...jumps, ...rules.filter((rule) => rule.startsWith(`-A ${chain} `))];
    const lines = [...jumps.map(deletion), `-F ${chain}`, `-X ${chain}`];
    return {
      kind: "rule",
      where: `${programOf(restore)} nat ${chain}`,
      name: chain,
      ...ownerIn(chain, all),
      addresses: [...jumps.flatMap(sourceOf), ...all.flatMap(targetOf)],
      removal: { by: "iptables", restore, table: "nat", lines },
    };
  });
}

// A comment that is not the chain's own tells nothing. iptables cuts long ones.
function ownerIn(chain: string, rules: readonly string[]): Pick<Thing, "network" | "containerId"> {
  for (const rule of rules) {
    const [, network = "", containerId = ""] = comment.exec(rule) ?? [];
    const names = (["", "DN-", "SN-"] as const).map((kind) => chainName(kind, network, containerId));
    // guard: a comment that is not the chain's own names no owner
    if (names.includes(chain)) return { network, containerId };
  }
  return {};
}

function forwardRulesIn({ rules }: Table, restore: string): readonly Thing[] {
  const byAddress = Map.groupBy(rules, (rule) => {
    const [, destination, source] = forwardRule.exec(rule) ?? [];
    return destination ?? source;
  });
  return [...byAddress].flatMap(([single, own]) => {
    // guard: a rule of a whole subnet
    if (single === undefined) return [];
    const address = plainAddress(single);
    return {
      kind: "rule",
      where: `${programOf(restore)} filter CNI-FORWARD ${single}`,
      name: `address:${address}`,
      addresses: [address],
      removal: { by: "iptables", restore, table: "filter", lines: own.map(deletion) },
    };
  });
}

function deletion(rule: string): string {
  return rule.replace(/^-A/, "-D");
}

function sourceOf(rule: string): readonly string[] {
  const [, source] = / -s (\S+\/(?:32|128)) /.exec(rule) ?? [];
  return source === undefined ? [] : [plainAddress(source)];
}

function targetOf(rule: string): readonly string[] {
  const [, four, six] = / --to-destination (?:([\d.]+)|\[([^\]]+)\]):\d+$/.exec(rule) ?? [];
  const address = four ?? six;
  return address === undefined ? [] : [plainAddress(address)];
}

function programOf(restore: string): string {
  return restore.replace(/-restore$/, "");
}
