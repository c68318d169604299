import type { PluginRule } from "../lint/rule.ts";
import { hasIpam } from "../lists/ipam.ts";
import { creatorsOf, runsCheck } from "../lists/list.ts";

export const earlyFirewall: PluginRule = {
  title: "A plain firewall stands before an interface plugin.",
  page: `A plain firewall makes rules for the addresses that exist on ADD. On CHECK it gets the whole result, and looks for rules
for the later addresses as well (\`expected rule ... not found\`). Put it after the last interface plugin, where it makes
rules for all addresses. Or wrap it: then it makes rules for one interface only.`,
  findInPlugin({ index, delegate, isWrapped }, list) {
    if (!runsCheck(list) || delegate !== "firewall" || isWrapped || index === 0) return undefined;
    const later = creatorsOf(list).find((creator) => creator.index > index && hasIpam(creator));
    if (!later) return undefined;
    // ADD fails there for want of a name, which other rules say. `wrap` then wraps the firewall where it is.
    if (creatorsOf(list).some(({ index, ifName }) => index < later.index && ifName === later.ifName)) return undefined;
    const message = `firewall makes no rules for ${later.ifName}, which ${later.type} makes later, and CHECK misses them`;
    return { at: ["type"], message, hint: `Put firewall after ${creatorsOf(list).at(-1)?.type}` };
  },
};
