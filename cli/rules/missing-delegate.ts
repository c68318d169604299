import type { ListRule } from "../lint/rule.ts";
import { valueAt } from "../lists/list-file.ts";

/** A wrapper needs the plugin that it wraps. */
export const missingDelegate: ListRule = {
  of: "list",
  code: "missing-delegate",
  severity: "error",
  title: "The plugin behind a wrapper is not in `--cni-path`.",
  page: `The wrapper runs the real plugin. It looks for it in the directories of CNI_PATH, then in its own directory, and skips
itself. If there is none, ADD fails with code 100. Install the plugin, or set \`wrapper.delegate\` to the right name.`,
  find({ file, plugins }, { plugins: folder }) {
    if (!folder) return [];
    return plugins.flatMap(({ path, type, delegate, isWrapped, wrapper: block }) => {
      const wrapper = folder.find(type);
      const other = folder.find(delegate);
      // A file that is not executable is the finding of another rule.
      if (!isWrapped || !wrapper?.isWrapper || (other && !other.isExecutable)) return [];
      if (folder.findDelegate(delegate, wrapper)) return [];
      const place = valueAt(file, [...path, ...(block.delegate === undefined ? ["type"] : ["wrapper", "delegate"])]);
      const message = `${type} runs ${delegate}, and no directory of --cni-path has that plugin`;
      return [{ place, message, hint: `Install ${delegate}` }];
    });
  },
};
