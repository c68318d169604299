import type { ListRule } from "../lint/rule.ts";
import { keyAt } from "../lists/list-file.ts";

/** The slim flavor has no jq. */
export const jqInSlim: ListRule = {
  of: "list",
  code: "jq-in-slim",
  severity: "error",
  title: "A list has `wrapper.jq`, and the slim flavor is installed in `--cni-path`.",
  page: `Only the Node flavor contains jq. The slim flavor refuses a configuration with \`wrapper.jq\`, so ADD fails with code 7.
Install the Node flavor, or replace the program by \`wrapper.args\` or \`wrapper.ports\` if one of them is enough.`,
  find({ file, plugins }, { plugins: folder }) {
    if (!folder) return [];
    return plugins.flatMap(({ path, type, isWrapped, wrapper }) => {
      const found = folder.find(type);
      if (!isWrapped || wrapper.jq === undefined || !found?.isWrapper || found.hasJq) return [];
      const message = `${found.path} is the slim flavor, which has no jq`;
      return [{ place: keyAt(file, [...path, "wrapper", "jq"]), message, hint: "Install the Node flavor" }];
    });
  },
};
