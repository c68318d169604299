import type { ListRule } from "../lint/rule.ts";
import { pluginNamesIn } from "../lists/ipam.ts";

/** A runtime takes the first file of a plugin's name, executable or not. */
export const notExecutable: ListRule = {
  of: "list",
  code: "not-executable",
  severity: "error",
  title: "A plugin's file in `--cni-path` is not executable.",
  page: `The runtime takes the first file of the plugin's name, and does not look further if it cannot run it. ADD fails:
\`permission denied\`. A copy without its mode is the usual reason: \`chmod 755\` the file.`,
  find({ plugins }, { plugins: folder }) {
    if (!folder) return [];
    return plugins.flatMap((plugin) =>
      pluginNamesIn(plugin).flatMap(({ name, path }) => {
        const found = folder.find(name);
        if (!found || found.isExecutable) return [];
        const hint = `Run: chmod 755 ${found.path}`;
        return [{ at: path, message: `${found.path} is not executable`, hint }];
      }),
    );
  },
};
