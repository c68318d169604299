import type { ListRule } from "../lint/rule.ts";
import { isRewritten } from "../lists/chain.ts";
import type { ListedPlugin } from "../lists/list.ts";

/** bandwidth names its ifb device after the network and the container. */
export const sharedNetwork: ListRule = {
  of: "list",
  code: "shared-network",
  severity: "error",
  title: "Two bandwidth plugins have one network, so they use one name on the host.",
  page: `To limit what a container sends, bandwidth makes an ifb device on the host, and names it after the network and the
container. With one network, the second bandwidth finds the first one's device, and ADD fails (\`adding link: file
exists\`). A renamed interface has a network of its own. So set \`wrapper.ifName\`, and leave \`wrapper.network\` out.`,
  find({ plugins }) {
    const users = plugins.filter((plugin) => makesDevice(plugin) && !isRewritten(plugin));
    return users.flatMap((plugin, index) => {
      const earlier = users.slice(0, index).find(({ network }) => network === plugin.network);
      if (!earlier) return [];
      const { path, type, network, wrapper } = plugin;
      const isKey = wrapper.network !== undefined;
      const at = [...path, ...(isKey ? ["wrapper", "network"] : ["type"])];
      const message = `this ${type} and the ${earlier.type} before it have one network (${network}), so they share an ifb device`;
      return [
        { at, isKey, message, hint: isKey ? "Leave network out" : "Use bandwidth-wrapper, and set wrapper.ifName" },
      ];
    });
  },
};

function makesDevice({ delegate, configuration }: ListedPlugin): boolean {
  return delegate === "bandwidth" && Number(configuration.egressRate) > 0;
}
