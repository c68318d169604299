import type { Found, ListRule } from "../lint/rule.ts";
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
    const creators = list.plugins.filter(({ role }) => role === "creator");
    if (creators.length < 2) return [];
    return creators.filter(({ isWrapped }) => !isWrapped).map((plugin) => foundIn(list, plugin));
  },
};

function foundIn({ file, isDropIn }: List, { path, type }: ListedPlugin): Found {
  const place = valueAt(file, [...path, "type"]);
  const wrapped = `"${type}-wrapper"`;
  return {
    place,
    message: `${type} creates an interface and is not wrapped`,
    hint: `Change the type to ${wrapped}`,
    // In a list for drop-in, the type is right and the link is missing.
    ...(!isDropIn && { fix: [{ ...place, content: wrapped }] }),
  };
}
