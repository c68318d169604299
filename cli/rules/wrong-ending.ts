import { extname } from "node:path";
import type { ListRule } from "../lint/rule.ts";
import { isMisspelt } from "../lists/find-files.ts";

export const wrongEnding: ListRule = {
  title: "The end of the file's name does not fit its content.",
  page: `Only a \`.conflist\` has a list of \`plugins\`. A \`.conf\` or \`.json\` has the configuration of one plugin.

- A list in a \`.conf\`: libcni finds no type (\`missing 'type'\`). Nomad refuses this network
  and every one whose file comes later, containerd fails if this file is its first, CRI-O skips it, and podman reads only \`.conflist\`.
- One plugin in a \`.conflist\`: libcni finds no plugins (\`no plugin configs found\`, or \`no 'plugins' key\` before 1.3), with the
  same consequences.

A name that nearly ends with \`.conflist\` (\`zone.conflst\`) is not read at all.

Rename the file, or write the plugin into \`"plugins": [...]\`.`,
  findInList({ file, hasPlugins, value }) {
    const end = extname(file.path);
    if (isMisspelt(file.path)) {
      const message = `no runtime reads a file that ends with ${end}`;
      return { at: [hasPlugins ? "plugins" : "type"], isKey: true, message, hint: "Let the file end with .conflist" };
    }
    if (end === ".conflist" && !hasPlugins && value.type !== undefined) {
      const hint = 'Write it into "plugins": [...], or let the file end with .conf';
      const message = "a .conflist needs a list of plugins, and this is one plugin";
      return { at: ["type"], isKey: true, message, hint };
    }
    if ((end === ".conf" || end === ".json") && hasPlugins && value.type === undefined) {
      const message = `runtimes read a ${end} as one plugin, and this is a list`;
      return [{ at: ["plugins"], isKey: true, message, hint: "Let the file end with .conflist" }];
    }
    return undefined;
  },
};
