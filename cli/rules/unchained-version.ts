import type { ListRule } from "../lint/rule.ts";
import { unchainedPlugin } from "../lists/list.ts";

export const unchainedVersion: ListRule = {
  title: "A list with several interfaces has no cniVersion, or 0.1.0 or 0.2.0.",
  page: `The results of 0.1.0 and 0.2.0 list no interfaces, so a wrapper cannot tell the plugins' interfaces apart. ADD fails
with code 1 (\`incompatible CNI versions\`). Without \`cniVersion\`, a list has version 0.1.0. Use 1.0.0.`,
  findInList(list) {
    const plugin = unchainedPlugin(list);
    if (plugin === undefined) return [];
    const version = list.value.cniVersion === undefined ? "a list without cniVersion" : `cniVersion ${list.cniVersion}`;
    const message = `${version} cannot have a second interface, and ${plugin.type} asks for ${plugin.ifName}`;
    return [{ at: ["cniVersion"], message, hint: 'Set "cniVersion": "1.0.0"' }];
  },
};
