import { basename, dirname } from "node:path";
import type { List } from "./list.ts";

/** Returns a function that computes something of a list once. A run compares each list with all others. */
export function perList<T>(compute: (list: List) => T): (list: List) => T {
  const known = new WeakMap<List, { readonly value: T }>();
  return (list) => {
    const found = known.get(list) ?? { value: compute(list) };
    known.set(list, found);
    return found.value;
  };
}

const directoryOf = perList(({ file }) => dirname(file.path));

/** The lists of the same directory that have other names. Of two lists with one name, a runtime takes one. */
export function neighboursOf(list: List, lists: readonly List[]): readonly List[] {
  const directory = directoryOf(list);
  return lists.filter((other) => other.name !== list.name && directoryOf(other) === directory);
}

/** The neighbours that are before a list in a run. Two lists that do not fit together are then reported once. */
export function neighboursBefore(list: List, lists: readonly List[]): readonly List[] {
  return neighboursOf(list, lists.slice(0, lists.indexOf(list)));
}

/** Names a list for a message about another one. */
export function nameOf({ name, file }: List): string {
  return `${name ?? "a list without a name"} (${basename(file.path)})`;
}
