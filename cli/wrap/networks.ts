import { goLookup } from "../../shared/protocol/json.ts";
import type { List, ListedPlugin } from "../lists/list.ts";
import type { Known } from "./decisions.ts";

/**
 * Returns the creators that keep the list's own network, because running containers have their leases there. A creator that is
 * wrapped already has leases of its own.
 */
export function chooseNetworks(
  { name }: List,
  named: ReadonlyMap<ListedPlugin, string | undefined>,
  known: Known,
): ReadonlyMap<ListedPlugin, string> {
  if (name === undefined || sharesMasquerading([...named.keys()])) return new Map();
  const leased = new Set((known.older ?? []).flatMap(({ leased }) => leased));
  return new Map(
    [...named].flatMap(([plugin, ifName]): [ListedPlugin, string][] => {
      const isOlder = ifName !== undefined && (known.fromScript || leased.has(ifName));
      return isOlder && !plugin.isWrapped ? [[plugin, name]] : [];
    }),
  );
}

/** Whether two creators would share a masquerading chain in one network: then DEL of the first one fails. */
export function sharesMasquerading(creators: readonly ListedPlugin[]): boolean {
  return creators.filter(({ configuration }) => goLookup(configuration, "ipMasq") === true).length > 1;
}
