import { isJsonObject } from "../../shared/protocol/json.ts";
import { cidrOf, contains } from "../lists/addresses.ts";
import { creatorsOf, hasKnownName, isRewritten } from "../lists/chain.ts";
import { rangeSetsOf } from "../lists/ipam.ts";
import type { List, ListedPlugin } from "../lists/list.ts";
import { addressesAt, type CachedAttachment } from "./cached-results.ts";

/** The addresses of an attachment that are in no subnet of its list, a line each. CHECK does not see it, the next ADD does. */
export function outsideSubnets(list: List, attachment: CachedAttachment): readonly string[] {
  return creatorsOf(list).flatMap((plugin) => {
    if (isRewritten(plugin) || !hasKnownName(list, plugin)) return [];
    const subnets = rangeSetsOf(plugin).flatMap((set) => set.flatMap(({ range }) => String(range.subnet)));
    const known = subnets.flatMap((subnet) => cidrOf(subnet) ?? []);
    const ifName = plugin.isRenamed ? plugin.ifName : attachment.runtimeIfName;
    return addressesAt(attachment, ifName)
      .filter((address) => {
        const cidr = cidrOf(address);
        return cidr && known.length > 0 && !known.some((subnet) => contains(subnet, cidr));
      })
      .map((address) => lineFor(plugin, ifName, `${address}, and the list now has ${subnets.join(", ")}`));
  });
}

function lineFor({ type }: ListedPlugin, ifName: string, words: string): string {
  return `${ifName} has ${words}: ${type} may refuse the next container; stop those of the old subnet first, or undo the change`;
}

/**
 * The plain plugins that made rules on the host for an attachment and are in the list no more, a line each: the runtime does not
 * run their DEL. Of a wrapped one, the wrappers that are left run it.
 */
export function droppedPlugins({ plugins }: List, { list, capabilityArgs }: CachedAttachment): readonly string[] {
  const before = Array.isArray(list?.plugins) ? list.plugins.filter(isJsonObject) : [];
  const { portMappings } = capabilityArgs;
  const hasPorts = Array.isArray(portMappings) && portMappings.length > 0;
  return ["portmap", "firewall"].flatMap((name) => {
    const isGone = before.some(({ type }) => type === name) && !plugins.some(({ delegate }) => delegate === name);
    if (!isGone || (name === "portmap" && !hasPorts)) return [];
    return `${name} is in the list no more, so DEL leaves its rules: put it back until the containers that have them are gone`;
  });
}
