import type { ListRule } from "../lint/rule.ts";
import { isWrapperType } from "../lists/list.ts";
import { valueAt } from "../lists/list-file.ts";

/** A runtime looks for a plugin by its type, in the directories of CNI_PATH. */
export const missingPlugin: ListRule = {
  of: "list",
  code: "missing-plugin",
  severity: "error",
  title: "A plugin or wrapper is not in `--cni-path`.",
  page: `The runtime looks for a file of the type's name in the directories of its \`cni_path\`. Without it, ADD fails:
\`failed to find plugin "bridge-wrapper" in path [/opt/cni/bin]\`. Install the plugin or the wrapper, or fix the type.`,
  find({ file, plugins }, { plugins: folder }) {
    if (!folder) return [];
    return plugins
      .filter(({ type }) => type !== "" && !type.includes("/") && !folder.find(type))
      .map(({ path, type }) => ({
        place: valueAt(file, [...path, "type"]),
        message: `no directory of --cni-path has ${type}`,
        hint: isWrapperType(type) ? "Install the wrappers there" : "Install the plugin there, or fix the type",
      }));
  },
};
