import { normalize } from "node:path";
import type { ListRule } from "../lint/rule.ts";
import type { ListedPlugin } from "../lists/list.ts";
import { nameOf, neighboursBefore, perList } from "../lists/neighbours.ts";

/** flannel keeps what it gave its delegate in a file that is named for the container alone. */
export const sharedFlannel: ListRule = {
  of: "list",
  code: "shared-flannel",
  severity: "error",
  title: "Two flannels keep their files in one directory.",
  page: `flannel's DEL needs the configuration that its ADD wrote to \`<dataDir>/<container>\`. If a container has two flannels
with one \`dataDir\`, the second ADD replaces the file of the first one. Then one DEL removes the wrong interface, the other
one does nothing, and an address and an interface stay behind. Without the key, all of them use \`/var/lib/cni/flannel\`.
Give each flannel its own \`dataDir\`.`,
  find(list, { lists }) {
    const elsewhere = neighboursBefore(list, lists).flatMap((other) => {
      return flannelsOf(other).map((plugin) => ({ plugin, name: nameOf(other) }));
    });
    return flannelsOf(list).flatMap((plugin, index, all) => {
      const inList = all.slice(0, index).map((other) => ({ plugin: other, name: `the ${other.type} before it` }));
      const owner = [...inList, ...elsewhere].find((other) => directoryOf(other.plugin) === directoryOf(plugin));
      if (!owner) return [];
      const at = [...plugin.path, plugin.configuration.dataDir === undefined ? "type" : "dataDir"];
      const message = `this ${plugin.type} and ${owner.name} keep their files in ${directoryOf(plugin)}, by the container alone`;
      return [{ at, message, hint: "Give each flannel its own dataDir" }];
    });
  },
};

const flannelsOf = perList(({ plugins }) => plugins.filter(({ delegate }) => delegate === "flannel"));

function directoryOf({ configuration: { dataDir } }: ListedPlugin): string {
  const directory = typeof dataDir === "string" && dataDir !== "" ? dataDir : "/var/lib/cni/flannel";
  return normalize(directory).replace(/(?<=.)\/$/, "");
}
