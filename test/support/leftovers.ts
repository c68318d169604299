import type { Lab } from "./lab.ts";

/** The links of a lab's host before any plugin was run. */
const ownLinks = ["lo", "uplink0", "uplink1"];

/**
 * Names what plugins left of attachments on a lab's host: leases, libcni's results, the wrappers' records, packet rules
 * and links. `staying` are the links that belong to no attachment, as bridges do.
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
