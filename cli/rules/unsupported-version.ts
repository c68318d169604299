import { supportedVersions } from "../../shared/protocol/result.ts";
import type { ListRule } from "../lint/rule.ts";
import { pluginNamesIn } from "../lists/ipam.ts";
import { neededVersion, versionOf } from "../lists/list.ts";

export const unsupportedVersion: ListRule = {
  title: "A plugin in `--cni-path` does not speak the list's `cniVersion`.",
  page: `Every plugin of the list gets the list's \`cniVersion\`. A plugin that is too old for it refuses every call: \`incompatible
CNI versions\`. \`lint\` asks each plugin with VERSION. Install newer plugins, or lower the list's \`cniVersion\`. CHECK
needs at least 0.4.0.`,
  findInList(list, { plugins: folder }) {
    const version = versionOf(list);
    // No plugin speaks a version that does not exist: that is another rule's.
    if (!folder || version === undefined || !supportedVersions.includes(version)) return [];
    // Another rule knows the first versions of the reference plugins.
    const plugins = list.plugins.filter((plugin) => neededVersion(list, plugin) === undefined);
    const names = new Set(plugins.flatMap((plugin) => pluginNamesIn(plugin).map(({ name }) => name)));
    return [...names].flatMap((name) => {
      // A wrapper speaks what its plugin speaks.
      const speaks = folder.find(name)?.isWrapper ? undefined : folder.find(name)?.speaks;
      if (!speaks || speaks.includes(version)) return [];
      const hint = `Set cniVersion to a version that all plugins speak, or install another ${name}`;
      return [{ at: ["cniVersion"], message: `${name} speaks only ${speaks.join(", ")}`, hint }];
    });
  },
};
