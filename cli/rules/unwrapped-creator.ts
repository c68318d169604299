import type { Found, ListRule } from "../lint/rule.ts";
import { creatorsOf } from "../lists/chain.ts";
import type { List, ListedPlugin } from "../lists/list.ts";
import { valueAt } from "../lists/list-file.ts";

/** A plain creator's CHECK compares all addresses of the container with its own interface. */
export const unwrappedCreator: ListRule = {
  of: "list",
  code: "unwrapped-creator",
  severity: "error",
  title: "A list has several interface creators, and one of them is not wrapped.",
  page: `A plain creator compares every address of the container with its own interface. ADD may pass, but CHECK fails as soon
as there is a second interface. Nomad runs CHECK when a client restarts, and a failed CHECK destroys the allocation's
network. Wrap **every** creator of the list, the first one too.`,
  find(list) {
    const creators = creatorsOf(list);
    if (creators.length < 2) return [];
    return creators.filter(({ isWrapped }) => !isWrapped).map((plugin) => foundIn(list, plugin));
  },
};

function foundIn(list: List, plugin: ListedPlugin): Found {
  const { file, isDropIn } = list;
  const { index, path, type } = plugin;
  const needsName = creatorsOf(list).some((other) => other.index < index && nameOf(other) === nameOf(plugin));
  const place = valueAt(file, [...path, "type"]);
  const wrapped = `"${type}-wrapper"`;
  return {
    place,
    message: `${type} creates an interface and is not wrapped`,
    hint: `Change the type to ${wrapped}${needsName ? ", and set wrapper.ifName" : ""}`,
    // In a list for drop-in, the type is right and the link is missing. A second creator needs a name, too.
    ...(!isDropIn && !needsName && { fix: [{ ...place, content: wrapped }] }),
  };
}

/** The name that the interface has as soon as the plugin is wrapped. */
function nameOf({ ifName, wrapper }: ListedPlugin): string {
  return typeof wrapper.ifName === "string" ? wrapper.ifName : ifName;
}
