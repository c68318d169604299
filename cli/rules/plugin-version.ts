import type { ListRule } from "../lint/rule.ts";
import { valueAt } from "../lists/list-file.ts";
import { neededVersion, versionOf } from "../lists/versions.ts";

/** Some reference plugins do not speak the first versions of the specification. */
export const pluginVersion: ListRule = {
  of: "list",
  code: "plugin-version",
  severity: "error",
  title: "cniVersion is older than a plugin accepts.",
  page: `firewall accepts lists from 0.4.0 on, vrf from 0.3.1 and bandwidth from 0.3.0. With an older \`cniVersion\`, their ADD
fails (\`incompatible CNI versions\`). Without \`cniVersion\`, a list has version 0.1.0. Use 1.0.0.`,
  find(list) {
    return list.plugins.flatMap((plugin) => {
      const needed = neededVersion(list, plugin);
      if (needed === undefined) return [];
      const message = `${plugin.delegate} needs cniVersion ${needed} or later, and the list has ${versionOf(list)}`;
      return [{ place: valueAt(list.file, [...plugin.path, "type"]), message, hint: 'Set "cniVersion": "1.0.0"' }];
    });
  },
};
