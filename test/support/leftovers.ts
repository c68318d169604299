import type { Lab } from "./lab.ts";

/** The links of a lab's host before the first plugin runs. */
export const ownLinks: readonly string[] = ["lo", "uplink0", "uplink1"];

// A container's chain has a hash in its name. The ranges are those of the tests' subnets.
const nameOfContainer = /CNI-(DN-)?[0-9a-f]{20}|\b(172|10)\.\d+\.|\bfd00:/;

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

/** The traces of attachments, except for rules that belong to no container. */
export async function leftOfContainers(lab: Lab, staying: readonly string[] = []): Promise<string[]> {
  const left = await leftovers(lab, staying);
  return left.filter((trace) => !trace.startsWith("rule ") || nameOfContainer.test(trace));
}

/** Rules with a container's address or a container's chain: firewall and portmap keep some that belong to none. */
export async function rulesOfContainers(lab: Lab): Promise<string[]> {
  return (await lab.kernel.packetRules()).filter((rule) => nameOfContainer.test(rule));
}
