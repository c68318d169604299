import type { Link } from "../host/links.ts";
import { isInstalled, runProgram } from "../host/programs.ts";
import type { Survey } from "./findings.ts";
import { thingsInTables } from "./iptables.ts";
import type { Thing } from "./known.ts";
import { objectsIn, tablesOfPlugins, thingsInRuleset } from "./nftables.ts";

/** Finds the rules of containers in all backends of this host. `problems` says why some cannot be read. */
export function readRules(links: readonly Link[]): Pick<Survey, "things" | "problems"> {
  const problems: string[] = [];
  const read = readerOfRules(problems);
  const hasLink = (name: string) => links.some(({ ifname }) => ifname === name);
  const inTables = ["iptables", "ip6tables"].flatMap(backendsOf).flatMap((program) => {
    return thingsInTables(read(`${program}-save`), `${program}-restore`);
  });
  const listed = objectsIn(read("nft", ["--json", "list", "tables"]), "table");
  const names = listed.map(({ family, name }) => `${family} ${name}`);
  // nft fails for a table that is not there.
  const tables = tablesOfPlugins.filter(([, family, name]) => names.includes(`${family} ${name}`));
  const inRulesets = tables.flatMap((table) => {
    return thingsInRuleset(read("nft", ["--json", "list", ...table]), table, hasLink);
  });
  return { things: [...inTables, ...inRulesets], problems: problems.map((one) => `${one}; packet rules may be left`) };
}

/** Returns a function that runs a program and returns its output. `problems` gets a line for each that fails. */
export function readerOfRules(problems: string[]): (program: string, args?: readonly string[]) => string {
  return (program, args = []) => {
    // Without the program, or without the protocol in the kernel, no plugin made rules with it.
    if (!isInstalled(program)) return "";
    const { passed, stdout, problem } = runProgram(program, args);
    // guard: rules that cannot be read are not called none
    if (!passed && !problem.endsWith("Protocol not supported")) problems.push(problem);
    return stdout;
  };
}

/** Finds the links that only one attachment uses: bandwidth's. The others are in the namespace, or end with it. */
export function linksOfContainers(links: readonly Link[]): readonly Thing[] {
  const own = links.filter(({ ifname, linkinfo }) => linkinfo?.info_kind === "ifb" && /^bwp[0-9a-f]{12}$/.test(ifname));
  return own.map(({ ifname }) => ({
    kind: "link",
    where: ifname,
    name: ifname,
    addresses: [],
    removal: { by: "ip", link: ifname },
  }));
}

/** The programs of `iptables` or `ip6tables`. A host may have rules in both backends: of an older plugin, or of one with another PATH. */
export function backendsOf(family: string): readonly string[] {
  const variants = [`${family}-nft`, `${family}-legacy`].filter((name) => isInstalled(`${name}-save`));
  return variants.length > 0 ? variants : [family];
}
