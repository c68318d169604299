import type { ListRule } from "../lint/rule.ts";
import { creatorsOf } from "../lists/chain.ts";
import { nameOf, neighboursOf, perList } from "../lists/neighbours.ts";

/** A renamed interface has a network of its own, and a list of that name would share its leases. */
export const takenNetwork: ListRule = {
  of: "list",
  code: "taken-network",
  severity: "warning",
  title: "A list has the name of the network of another list's interface.",
  page: `The plugin of an interface with an \`ifName\` sees a network of its own, \`<name>-<ifName>\`. If another list of the
directory has this name, both keep their leases in one directory, and their rules on the host have one name. If a container
is in both lists and leaves one of them, it loses masquerading for the other one. Rename one of the lists. If you share the
network on purpose, say so with \`wrapper.network\`.`,
  find(list, { lists }) {
    const owner = neighboursOf(list, lists).find((other) => networksOf(other).has(list.name ?? ""));
    if (!owner) return undefined;
    const ifName = networksOf(owner).get(list.name ?? "");
    const message = `the network of ${ifName} in ${nameOf(owner)} has this name, too, so they share leases and rules`;
    return { at: ["name"], message, hint: "Rename this list" };
  },
};

/** The interfaces of a list by the networks that the wrapper names itself. */
const networksOf = perList((list): ReadonlyMap<string, string> => {
  const named = creatorsOf(list).filter(({ isRenamed, wrapper }) => isRenamed && wrapper.network === undefined);
  return new Map(named.map(({ network, ifName }) => [network, ifName]));
});
