import type { PluginRule } from "../lint/rule.ts";
import { isWrapperType } from "../lists/list.ts";

export const dropInNotInstalled: PluginRule = {
  title: "A list is for drop-in, and the plain plugin comes first in `--cni-path`.",
  page: `A plain type with a \`wrapper\` block needs the wrapper under the plugin's own name, in a directory that comes first in
\`cni_path\`. Otherwise the runtime runs the plain plugin. It does not know the block, so the second interface gets the
first one's name and ADD fails. See [drop-in](configuration.md#drop-in).`,
  findInPlugin({ type, isWrapped, role }, { isDropIn }, { plugins }) {
    const found = isDropIn ? plugins?.find(type) : undefined;
    if (!isWrapped || isWrapperType(type) || role !== "creator" || !found || found.isWrapper) return undefined;
    const hint = `Link cni-wrappers as ${type} in a directory that comes before, or change the type to "${type}-wrapper"`;
    return { at: ["type"], message: `${found.path} is the plain plugin`, hint };
  },
};
