import type { PluginRule } from "../lint/rule.ts";
import { isRewritten, type ListedPlugin } from "../lists/list.ts";

export const sharedNetwork: PluginRule = {
  title: "Two bandwidth plugins have one network, so they use one name on the host.",
  page: `To limit what a container sends, bandwidth makes an ifb device on the host, and names it after the network and the
container. With one network, the second bandwidth finds the first one's device, and ADD fails (\`adding link: file
exists\`). A renamed interface has a network of its own. So set \`wrapper.ifName\`, and leave \`wrapper.network\` out.`,
  findInPlugin(plugin, { plugins }) {
    const { index, type, network, wrapper } = plugin;
    const earlier = plugins.slice(0, index).find((other) => other.network === network && makesDevice(other));
    if (!earlier || !makesDevice(plugin)) return undefined;
    const isKey = wrapper.network !== undefined;
    const message = `this ${type} and the ${earlier.type} before it have one network (${network}), so they share an ifb device`;
    const hint = isKey ? "Leave network out" : "Use bandwidth-wrapper, and set wrapper.ifName";
    return { at: isKey ? ["wrapper", "network"] : ["type"], isKey, message, hint };
  },
};

function makesDevice(plugin: ListedPlugin): boolean {
  const { egressRate } = plugin.configuration;
  return plugin.delegate === "bandwidth" && typeof egressRate === "number" && egressRate > 0 && !isRewritten(plugin);
}
