import type { ListRule } from "../lint/rule.ts";
import { creatorsOf } from "../lists/list.ts";
import { amongNeighbours, nameOf } from "../lists/neighbours.ts";

export const takenNetwork: ListRule = {
  severity: "warning",
  title: "A list has the name of the network of another list's interface.",
  page: `The plugin of an interface with an \`ifName\` sees a network of its own, \`<name>-<ifName>\`. If another list of the
directory has this name, both keep their leases in one directory, and their rules on the host have one name. If a container
is in both lists and leaves one of them, it loses masquerading for the other one. Rename one of the lists. If you share the
network on purpose, say so with \`wrapper.network\`.`,
  findInList(list, { lists }) {
    const [owner] = networksElsewhere(list, lists, list.name ?? "");
    if (!owner) return undefined;
    const message = `the network of ${owner.ifName} in ${nameOf(owner.list)} has this name, too, so they share leases and rules`;
    return { at: ["name"], message, hint: "Rename this list" };
  },
};

/** The interfaces whose networks the wrapper names itself. */
const networksElsewhere = amongNeighbours((list) => {
  const named = creatorsOf(list).filter(({ isRenamed, wrapper }) => isRenamed && wrapper.network === undefined);
  return named.map(({ network, ifName }) => ({ list, key: network, ifName }));
});
