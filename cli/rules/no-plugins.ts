import type { ListRule } from "../lint/rule.ts";

export const noPlugins: ListRule = {
  title: "The list of plugins is empty.",
  page: `libcni refuses a list without plugins (\`no plugins in list\`), so no runtime knows the network. Add at least one
plugin, or delete the file.`,
  findInList({ value: { plugins } }) {
    if (!Array.isArray(plugins) || plugins.length > 0) return [];
    const hint = "Add a plugin, or delete the file";
    return [{ at: ["plugins"], message: "the list of plugins is empty", hint }];
  },
};
