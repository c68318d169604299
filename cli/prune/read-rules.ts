import { type Link, parseLinks } from "../adopt/facts.ts";
import { thingsInTables } from "./iptables.ts";
import { tablesOfPlugins, thingsInRuleset } from "./nftables.ts";
import { hasProgram, runProgram } from "./programs.ts";
import type { Thing } from "./thing.ts";

/** A link of the host, with its kind. */
export interface HostLink extends Link {
  /** The namespace of its other end, if that is another one. */
  readonly link_netnsid?: number;
  readonly linkinfo?: { readonly info_kind?: string };
}

/** Reads the links of the host. */
export function readHostLinks(): readonly HostLink[] {
  const { passed, stdout } = runProgram("ip", ["-json", "-details", "address", "show"]);
  return passed ? parseLinks(stdout) : [];
}

/** Finds the rules of containers in all backends of this host. */
export function readRules(links: readonly HostLink[]): readonly Thing[] {
  const hasLink = (name: string) => links.some(({ ifname }) => ifname === name);
  const inTables = ["iptables", "ip6tables"].flatMap(backendsOf).flatMap((program) => {
    return thingsInTables(runProgram(`${program}-save`, []).stdout, `${program}-restore`);
  });
  const inRulesets = tablesOfPlugins.flatMap((table) => {
    return thingsInRuleset(runProgram("nft", ["--json", "list", ...table]).stdout, table, hasLink);
  });
  return [...inTables, ...inRulesets];
}

/** Finds the links that only one attachment uses: bandwidth's. The others are in the namespace, or end with it. */
export function linksOfContainers(links: readonly HostLink[]): readonly Thing[] {
  const own = links.filter(({ ifname, linkinfo }) => linkinfo?.info_kind === "ifb" && /^bwp[0-9a-f]{12}$/.test(ifname));
  return own.map(({ ifname }) => ({
    kind: "link",
    where: ifname,
    name: ifname,
    addresses: [],
    removal: { by: "ip", link: ifname },
  }));
}

// A host may have rules in both: of an older plugin, or of one with another PATH.
function backendsOf(family: string): readonly string[] {
  const variants = [`${family}-nft`, `${family}-legacy`].filter((name) => hasProgram(`${name}-save`));
  return variants.length > 0 ? variants : [family];
}
