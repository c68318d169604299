import type { PluginRule } from "../lint/rule.ts";
import { creatorsOf, type ListedPlugin } from "../lists/list.ts";

export const unwrappedCreator: PluginRule = {
  title: "A list has several interface plugins, and one of them is not wrapped.",
  page: `A plain interface plugin compares every address of the container with its own interface. ADD may pass, but CHECK fails
as soon as there is a second interface. Nomad runs CHECK when a client restarts, and a failed CHECK destroys the
allocation's network. Wrap **every** interface plugin of the list, the first one too.`,
  findInPlugin(plugin, list) {
    const { index, type, role, isWrapped } = plugin;
    const creators = creatorsOf(list);
    if (role !== "creator" || isWrapped || creators.length < 2) return undefined;
    const needsName = creators.some((other) => other.index < index && nameOf(other) === nameOf(plugin));
    const hint = `Change the type to "${type}-wrapper"${needsName ? ", and set wrapper.ifName" : ""}`;
    return { at: ["type"], message: `${type} creates an interface and is not wrapped`, hint };
  },
};

/** The name that the interface has as soon as the plugin is wrapped. */
function nameOf({ ifName, wrapper }: ListedPlugin): string {
  return typeof wrapper.ifName === "string" ? wrapper.ifName : ifName;
}
