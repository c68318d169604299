import { newestVersion, supportedVersions } from "../../shared/protocol/result.ts";
import type { ListRule } from "../lint/rule.ts";
import { versionOf } from "../lists/list.ts";

export const unknownVersion: ListRule = {
  title: "cniVersion is not a version of the specification.",
  page: `\`cniVersion\` is a version of the [CNI specification](https://github.com/containernetworking/cni/blob/main/SPEC.md),
not of the plugins: 0.1.0, 0.2.0, 0.3.0, 0.3.1, 0.4.0, 1.0.0 or 1.1.0. Plugins refuse any other version on ADD
(\`incompatible CNI versions\`). Use 1.0.0. Use 1.1.0 only with reference plugins 1.6.0 or later.`,
  findInList(list) {
    const version = versionOf(list);
    if (version === undefined || supportedVersions.includes(version)) return [];
    const message = `the specification has no version ${JSON.stringify(version)}`;
    return { at: ["cniVersion"], message, hint: `Use "1.0.0". The newest version is ${newestVersion}` };
  },
};
