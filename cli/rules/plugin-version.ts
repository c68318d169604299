import type { PluginRule } from "../lint/rule.ts";
import { neededVersion, versionOf } from "../lists/list.ts";

export const pluginVersion: PluginRule = {
  title: "cniVersion is older than a plugin accepts.",
  page: `firewall accepts lists from 0.4.0 on, vrf from 0.3.1 and bandwidth from 0.3.0. With an older \`cniVersion\`, their ADD
fails (\`incompatible CNI versions\`). Without \`cniVersion\`, a list has version 0.1.0. Use 1.0.0.`,
  findInPlugin(plugin, list) {
    const needed = neededVersion(list, plugin);
    if (needed === undefined) return undefined;
    const message = `${plugin.delegate} needs cniVersion ${needed} or later, and the list has ${versionOf(list)}`;
    return { at: ["type"], message, hint: 'Set "cniVersion": "1.0.0"' };
  },
};
