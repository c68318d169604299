import { basename, extname } from "node:path";
import type { ListRule } from "../lint/rule.ts";
import type { List } from "../lists/list.ts";
import { directoryOf, type Run } from "../lists/neighbours.ts";
import { once } from "../once.ts";

export const duplicateNetwork: ListRule = {
  severity: "warning",
  title: "Two files of a directory have the same network name.",
  page: `The files are sorted by name, byte by byte: \`10-zone.conflist\` comes before \`9-zone.conflist\`.

- Nomad and CRI-O take the first file that has the name.
- podman does the same, but reads only files that end with \`.conflist\`.
- cnitool takes the first \`.conflist\` of the name. It reads \`.conf\` and \`.json\` only if there is none.
- containerd does not look at names: it takes the first file of the directory.

The other file has no effect. Delete or rename it.`,
  findInList(list, { lists }) {
    const { name } = list;
    if (name === undefined) return [];
    const namesakes = byName(lists).get(placeOf(list)) ?? [];
    const first = namesakes.toSorted(byFile)[0] ?? list;
    if (first === list) return [];
    const readers = readersOf(first, list, namesakes);
    const message = `${basename(first.file.path)} has this name too, and ${readers}`;
    return { at: ["name"], message, hint: "Delete or rename one of them" };
  },
};

const byName = once((lists: Run) => Map.groupBy(lists, placeOf));

function placeOf(list: List): string {
  return `${directoryOf(list)}\n${list.name}`;
}

function readersOf(first: List, list: List, namesakes: readonly List[]): string {
  if (extname(first.file.path) === ".conflist") return `runtimes take that file`;
  const taken = namesakes.filter(({ file }) => extname(file.path) === ".conflist").toSorted(byFile)[0];
  if (taken !== list) return "Nomad takes that file";
  return "Nomad takes that file, but podman and cnitool take this one";
}

function byFile(one: List, other: List): number {
  return one.file.path < other.file.path ? -1 : 1;
}
