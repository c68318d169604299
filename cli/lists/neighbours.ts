import { basename, dirname } from "node:path";
import { once } from "../once.ts";
import type { List } from "./list.ts";

/** All lists of a run, in the order in which a runtime reads their files. */
export type Run = readonly List[];

export const directoryOf = once(({ file }: List) => dirname(file.path));

/** Something of a list that must not be in another one, and the key that both have then. */
export interface Owned {
  readonly list: List;
  readonly key: string;
}

/**
 * Returns a function that finds what the neighbours of a list own under a key. They are the lists of the same directory that
 * have other names: of two lists with one name, a runtime takes one. All are indexed once in a run, because comparing each
 * list with each other one takes minutes for some thousand lists.
 */
export function amongNeighbours<T extends Owned>(
  ownedBy: (list: List) => readonly T[],
): (list: List, lists: Run, key: string) => readonly T[] {
  const place = (list: List, key: string) => `${directoryOf(list)}\n${key}`;
  const index = once((lists: Run) => Map.groupBy(lists.flatMap(ownedBy), ({ list, key }) => place(list, key)));
  return (list, lists, key) =>
    index(lists)
      .get(place(list, key))
      ?.filter((one) => one.list.name !== list.name) ?? [];
}

const positions = once((lists: Run) => new Map(lists.map((list, position) => [list, position])));

/** Whether a list is before another one in a run. Two lists that do not fit together are reported once. */
export function isBefore(one: List, other: List, lists: Run): boolean {
  return (positions(lists).get(one) ?? 0) < (positions(lists).get(other) ?? 0);
}

/** Names a list for a message about another one. */
export function nameOf({ name, file }: List): string {
  return `${name ?? "a list without a name"} (${basename(file.path)})`;
}
