import { ownLinks } from "../../conformance/kernel.ts";
import type { Lab } from "./lab.ts";

/**
 * The traces of attachments on a lab's host: leases, libcni's results, the wrappers' records, packet rules and links.
 * `staying` names links that belong to no attachment, such as bridges.
 */
export async function leftovers(lab: Lab, staying: readonly string[] = []): Promise<string[]> {
  const { kernel } = lab;
  const links = await kernel.linkNames();
  return [
    ...(await kernel.leases()).map((name) => `lease ${name}`),
    ...(await kernel.cachedResults()).map((name) => `result ${name}`),
    ...(await kernel.journals()).map((name) => `record ${name}`),
    ...(await kernel.packetRules()).map((rule) => `rule ${rule}`),
    ...links.filter((name) => ![...ownLinks, ...staying].includes(name)).map((name) => `link ${name}`),
  ];
}

/** The traces of attachments, with the rules of nftables, and except for rules that belong to no container. */
export async function leftOfContainers(lab: Lab, staying: readonly string[] = []): Promise<string[]> {
  const left = await leftovers(lab, staying);
  const rules = await rulesOfContainers(lab);
  return [...left.filter((trace) => !trace.startsWith("rule ")), ...rules.map((rule) => `rule ${rule}`)];
}

/** Rules with a container's address or a container's chain: firewall and portmap keep some that belong to none. */
export function rulesOfContainers(lab: Lab): Promise<string[]> {
  return lab.kernel.rulesOfContainers();
}
