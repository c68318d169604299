import type { ListRule } from "../lint/rule.ts";
import { isOlder, neededVersion, unchainedPlugin, versionOf, versionWords } from "../lists/list.ts";

export const noCheckVersion: ListRule = {
  severity: "warning",
  title: "cniVersion is older than 0.4.0, so there is no CHECK.",
  page: `The specification has CHECK from 0.4.0 on. For an older list, libcni refuses it (\`does not support the CHECK command\`).
Nomad runs CHECK anyway when a client restarts. It takes the refusal for a broken network, and the allocation loses its
network: see [versions](versions.md). Other runtimes never notice a broken network. Use 1.0.0. A list without wrappers gets
no warning: it may be for a runtime that runs no CHECK.`,
  findInList(list) {
    const version = versionOf(list);
    if (version === undefined || !isOlder(version, "0.4.0")) return [];
    // Kubernetes runs no CHECK. So this is about lists that somebody has prepared for it.
    if (!list.plugins.some(({ isWrapped }) => isWrapped)) return [];
    // A newer version is needed anyway.
    if (unchainedPlugin(list) || list.plugins.some((plugin) => neededVersion(list, plugin))) return [];
    const message = `${versionWords(list)} has no CHECK, and Nomad replaces such allocations when a client restarts`;
    return [{ at: ["cniVersion"], message, hint: 'Set "cniVersion": "1.0.0"' }];
  },
};
