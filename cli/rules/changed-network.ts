import type { State } from "../host/memory.ts";
import type { PluginRule } from "../lint/rule.ts";
import type { List, ListedPlugin } from "../lists/list.ts";
import { counted } from "../terminal.ts";

export const changedNetwork: PluginRule = {
  title: "The network of an interface has changed, and leases are live under the old name (`--state`).",
  page: `A renamed interface keeps its leases under \`<name>-<ifName>\`, or under \`wrapper.network\`. If that changes while
containers run, CHECK and DEL still find the old leases by their journals. The IPAM plugin does not: it can give a new
container an address that is in use. Stop the containers of the list first, or keep the network. Leases under the list's
own name do no harm without \`wrapper.network\`: new containers [take their
addresses](behavior.md#attachments-without-an-entry) from there.`,
  findInPlugin(plugin, list, { state }) {
    if (!state || plugin.role !== "creator" || !plugin.isWrapped) return undefined;
    return [...oldNetworks(list, plugin, state)].map(([network, containers]) => ({
      at: ["wrapper", plugin.wrapper.network === undefined ? "ifName" : "network"],
      isKey: true,
      message: `${plugin.ifName} has leases under ${network}, and its network is now ${plugin.network}: ${counted(containers.size, "container")}`,
      hint: `Set wrapper.network to "${network}", or stop these containers first`,
    }));
  },
};

/** The other networks under which an interface has leases, with its containers. */
function oldNetworks(list: List, plugin: ListedPlugin, { entries, leases }: State): ReadonlyMap<string, Set<string>> {
  const remembered = entries
    .filter(
      ({ network, ifName, type }) => network === list.name && ifName === plugin.ifName && type === plugin.delegate,
    )
    .map(({ delegateNetwork, containerId }) => ({ network: delegateNetwork, containerId }));
  // Without `network`, a wrapper takes addresses from the list's own network as long as that has leases of the interface.
  const looksInList = plugin.isRenamed && plugin.wrapper.network === undefined;
  const others = plugin.isRenamed && !looksInList ? leases : [];
  const possible = others.filter(({ network, ifName }) => {
    return ifName === plugin.ifName && [list.name, `${list.name}-${ifName}`].includes(network);
  });
  const old = new Map<string, Set<string>>();
  for (const { network, containerId } of [...remembered, ...possible]) {
    if (network === plugin.network || (looksInList && network === list.name)) continue;
    old.set(network, (old.get(network) ?? new Set()).add(containerId));
  }
  return old;
}
