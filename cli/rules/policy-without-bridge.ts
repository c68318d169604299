import type { PluginRule } from "../lint/rule.ts";
import { creatorFor, creatorsOf, isRewritten, mayBeMadeBefore } from "../lists/list.ts";

export const policyWithoutBridge: PluginRule = {
  severity: "warning",
  title: "firewall isolates an interface that is no bridge.",
  page: `With \`"ingressPolicy": "same-bridge"\` or \`"isolated"\`, firewall makes rules for the first interface of the result that it
gets. That is the bridge only if \`bridge\` made it. After a macvlan it is called \`eth0\`: the container's bridge stays open, and
if the host's card is called so, other isolated bridges no longer reach the network through it. Use \`firewall-wrapper\` with the
\`ifName\` of bridge's interface, or put \`bridge\` first.`,
  findInPlugin(plugin, list) {
    const { index, delegate, isWrapped, configuration } = plugin;
    const isAsked = configuration.ingressPolicy === "same-bridge" || configuration.ingressPolicy === "isolated";
    if (delegate !== "firewall" || !isAsked || isRewritten(plugin) || mayBeMadeBefore(list, index)) return undefined;
    const before = creatorsOf(list).filter((one) => one.index < index);
    const first = isWrapped ? creatorFor(list, plugin) : before[0];
    if (!first || first.delegate === "bridge") return undefined;
    const bridge = before.find((one) => one.delegate === "bridge");
    return {
      at: ["ingressPolicy"],
      message: `firewall isolates the first interface of its result, which is ${first.delegate}'s and no bridge`,
      hint: bridge?.isRenamed ? `Use firewall-wrapper with "ifName": "${bridge.ifName}"` : "Put bridge first",
    };
  },
};
