import type { Lab } from "./lab.ts";

/** The links of a lab's host before the first plugin runs. */
const ownLinks = ["lo", "uplink0", "uplink1"];

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
    ...(await lab.readdir("/var/lib/cni/wrappers")).map((name) => `record ${name}`),
    ...(await kernel.packetRules()).map((rule) => `rule ${rule}`),
    ...links.filter((name) => ![...ownLinks, ...staying].includes(name)).map((name) => `link ${name}`),
  ];
}
