import { type List, type ListedPlugin, runtimeIfName } from "../lists/list.ts";
import type { Decisions, Known, Wrapped } from "./decisions.ts";
import { chooseNames } from "./names.ts";
import { needsOf } from "./needs.ts";
import { chooseNetworks } from "./networks.ts";
import { namesFrom, notesOn } from "./notes.ts";

/** Decides how to wrap a list. If no plugin changes, the list needs nothing. */
export function decide(list: List, known: Known = {}): Decisions {
  if (list.isDropIn) return { plugins: [], notes: ["The list is for drop-in: its types are the plugins' own names."] };
  const creators = list.plugins.filter(({ role }) => role === "creator");
  const wished = known.wished ?? namesFrom(known.older, creators.length);
  const names = creators.length > 1 ? chooseNames(creators, list.plugins, wished) : [];
  const named = new Map(creators.map((creator, position) => [creator, names[position]]));
  const networks = chooseNetworks(list, named, known);
  const plugins = needsOf(list).flatMap(({ plugin, why }) => {
    const change = changeOf(plugin, named.get(plugin), networks.get(plugin));
    return change ? [{ ...change, does: sentence(plugin, change, why) }] : [];
  });
  return { plugins, notes: notesOn(list, known, plugins) };
}

function changeOf(plugin: ListedPlugin, ifName: string | undefined, network: string | undefined) {
  const { index, type, isWrapped } = plugin;
  if (isWrapped && ifName === undefined) return undefined;
  const wrapper = { ...(ifName !== undefined && { ifName }), ...(network !== undefined && { network }) };
  return { index, type, becomes: isWrapped ? type : `${type}-wrapper`, wrapper };
}

function sentence(
  { role, wrapper: old }: ListedPlugin,
  { wrapper }: Pick<Wrapped, "wrapper">,
  why: string | undefined,
): string {
  const given = typeof old.ifName === "string" ? old.ifName : runtimeIfName;
  const ifName = wrapper.ifName ?? given;
  const leases = wrapper.network === undefined ? "" : `, with the leases of the network ${wrapper.network}`;
  return `${role === "creator" ? "makes" : "acts on"} ${ifName}${leases}${why === undefined ? "" : `: ${why}`}`;
}
