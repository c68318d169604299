import type { State } from "../host/memory.ts";
import type { ListRule } from "../lint/rule.ts";
import { creatorsOf, runtimeIfName } from "../lists/list.ts";
import type { Run } from "../lists/neighbours.ts";
import { once } from "../once.ts";

export const renamedNetwork: ListRule = {
  title: "The list was renamed, and containers are attached under the old name (`--state`).",
  page: `A runtime looks for the list of a container by its \`name\`. After it was changed, CHECK and DEL of the containers that run
do not find it: Nomad destroys their network when its client restarts, and what they leased stays. The rule finds a network
that containers have and no list defines, with the interfaces of a list that no container has. Keep the old name until these
containers are gone.`,
  findInList(list, { lists, state }) {
    const attached = interfacesByNetwork(state?.entries ?? []);
    if (list.name === undefined || attached.has(list.name)) return undefined;
    const wrapped = creatorsOf(list).filter(({ isWrapped }) => isWrapped);
    const own = namesOf(wrapped.map(({ delegate, ifName }) => `${delegate} ${ifName}`));
    const old = [...attached].filter(([network, made]) => !namesIn(lists).has(network) && made === own);
    return old.map(([network]) => ({
      at: ["name"],
      message: `containers are attached to ${network}, which no list defines; ${list.name} makes the same interfaces`,
      hint: `Name it ${network} again, or stop these containers first`,
    }));
  },
};

const namesIn = once((lists: Run) => new Set(lists.map(({ name }) => name)));

/** The interfaces that containers have in each network. Those of one network may be of several versions of the list. */
const interfacesByNetwork = once((entries: State["entries"]) => {
  const nameIn = ({ type, ifName, runtimeIfName: asked }: (typeof entries)[number]) =>
    `${type} ${ifName === asked ? runtimeIfName : ifName}`;
  const byNetwork = Map.groupBy(entries, ({ network }) => network);
  return new Map([...byNetwork].map(([network, made]) => [network, namesOf(made.map(nameIn))] as const));
});

function namesOf(interfaces: readonly string[]): string {
  return [...new Set(interfaces)].sort().join(", ");
}
