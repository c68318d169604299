import { normalize } from "node:path";
import { fileDirectory, withOwnDirectory } from "../../shared/plugin/profile.ts";
import type { ListRule } from "../lint/rule.ts";
import type { List, ListedPlugin } from "../lists/list.ts";
import { amongNeighbours, isBefore, nameOf } from "../lists/neighbours.ts";
import { once } from "../once.ts";

export const sharedFlannel: ListRule = {
  title: "Two flannels keep their files in one directory.",
  page: `flannel's DEL needs the configuration that its ADD wrote to \`<dataDir>/<container>\`. If a container has two flannels
with one \`dataDir\`, the second ADD replaces the file of the first one. Then one DEL removes the wrong interface, the other
one does nothing, and an address and an interface stay behind. Without the key, all of them use \`/var/lib/cni/flannel\`, but
a wrapped one with an \`ifName\` has \`/var/lib/cni/flannel-<network>\`. Give each other flannel its own \`dataDir\`.`,
  findInList(list, { lists }) {
    return flannelsOf(list).flatMap((plugin, index, all) => {
      const directory = directoryOf(plugin, list);
      const earlier = all.slice(0, index).find((other) => directoryOf(other, list) === directory);
      const others = flannelsElsewhere(list, lists, directory);
      const elsewhere = others.find((one) => isBefore(one.list, list, lists));
      const owner = earlier ? `the ${earlier.type} before it` : elsewhere && nameOf(elsewhere.list);
      if (owner === undefined) return [];
      const at = [...plugin.path, plugin.configuration.dataDir === undefined ? "type" : "dataDir"];
      const message = `this ${plugin.type} and ${owner} keep their files in ${directory}, by the container alone`;
      return [{ at, message, hint: "Give each flannel its own dataDir" }];
    });
  },
};

const flannelsOf = once(({ plugins }: List) => plugins.filter(({ delegate }) => delegate === "flannel"));

const flannelsElsewhere = amongNeighbours((list) => {
  return flannelsOf(list).map((plugin) => ({ list, key: directoryOf(plugin, list) }));
});

function directoryOf({ configuration, delegate, network }: ListedPlugin, { name }: List): string {
  const directory = fileDirectory(withOwnDirectory({ ...configuration, name }, delegate, network), delegate) ?? "";
  return normalize(directory).replace(/(?<=.)\/$/, "");
}
