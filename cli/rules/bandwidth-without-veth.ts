import type { PluginRule } from "../lint/rule.ts";
import { creatorFor, creatorsOf, isRewritten, type ListedPlugin, runsCheck } from "../lists/list.ts";

export const bandwidthWithoutVeth: PluginRule = {
  title: "bandwidth acts on an interface that is no veth pair.",
  page: `bandwidth limits traffic at the host's end of a veth pair, so it needs an interface of bridge or ptp. On any other
interface its ADD fails (\`container interface eth0 has no veth peer\`). Without rates, only its CHECK fails. A plain
bandwidth acts on the runtime's interface. Use a wrapped one, and set \`ifName\` to an interface of bridge or ptp.`,
  findInPlugin(plugin, list) {
    const { delegate, wrapper, ifName } = plugin;
    const creator = creatorFor(list, plugin);
    if (delegate !== "bandwidth" || isRewritten(plugin) || !creator?.profile) return undefined;
    if (makesVeth(creator) || !(limits(plugin) || runsCheck(list))) return undefined;
    const message = `bandwidth needs a veth pair, and ${ifName} is an interface of ${creator.delegate}`;
    const pair = creatorsOf(list).find(makesVeth);
    const hint = pair ? `Use bandwidth-wrapper with "ifName": "${pair.ifName}"` : "Use it with bridge or ptp";
    return { at: wrapper.ifName === undefined ? ["type"] : ["wrapper", "ifName"], message, hint };
  },
};

function limits({ configuration: { ingressRate, egressRate } }: ListedPlugin): boolean {
  return [ingressRate, egressRate].some((rate) => typeof rate === "number" && rate > 0);
}

function makesVeth({ delegate }: ListedPlugin): boolean {
  return /^(?:bridge|ptp)$/.test(delegate);
}
