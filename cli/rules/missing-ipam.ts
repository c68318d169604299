import type { ListRule } from "../lint/rule.ts";
import { ipamTypeOf } from "../lists/ipam.ts";
import { valueAt } from "../lists/list-file.ts";

/** A plugin runs its IPAM plugin from the same directories. */
export const missingIpam: ListRule = {
  of: "list",
  code: "missing-ipam",
  severity: "error",
  title: "An IPAM plugin is not in `--cni-path`.",
  page: `The plugin runs the one in \`ipam.type\` to get its addresses. It looks for it in the directories of CNI_PATH. Without
it, ADD fails: \`failed to find plugin "host-local" in path [/opt/cni/bin]\`.`,
  find({ file, plugins }, { plugins: folder }) {
    if (!folder) return [];
    return plugins.flatMap(({ path, configuration }) => {
      const type = ipamTypeOf(configuration);
      if (type === undefined || folder.find(type)) return [];
      const place = valueAt(file, [...path, "ipam", "type"]);
      return [{ place, message: `no directory of --cni-path has ${type}`, hint: `Install ${type}, or fix the type` }];
    });
  },
};
