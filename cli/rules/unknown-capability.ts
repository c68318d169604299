import { isJsonObject } from "../../shared/protocol/json.ts";
import { nearest } from "../../shared/protocol/spelling.ts";
import type { PluginRule } from "../lint/rule.ts";

export const unknownCapability: PluginRule = {
  severity: "warning",
  title: "A capability has a name that no runtime knows.",
  page: `The names of capabilities are in
[CONVENTIONS.md](https://github.com/containernetworking/cni/blob/main/CONVENTIONS.md) of the specification: \`portMappings\`,
\`ipRanges\`, \`bandwidth\`, \`dns\`, \`ips\`, \`mac\`, \`infinibandGUID\`, \`deviceID\`, \`aliases\` and \`cgroupPath\`. Letter case
counts. A runtime ignores other names without a word, and the plugin does not get the data.`,
  findInPlugin({ profile, configuration: { capabilities } }) {
    const names = isJsonObject(capabilities) ? Object.keys(capabilities) : [];
    return names.flatMap((name) => {
      const meant = nearest(name, knownNames);
      const isSame = meant.toLowerCase() === name.toLowerCase();
      // A plugin that lint does not know may have an agreement with its runtime. containerd has names with dots.
      if (knownNames.includes(name) || (!isSame && (!profile || name.includes(".")))) return [];
      const hint = `Did you mean "${meant}"? The names are ${knownNames.join(", ")}`;
      const found = { at: ["capabilities", name], isKey: true, message: `no runtime knows a capability ${name}`, hint };
      return isSame ? { ...found, instead: `"${meant}"` } : found;
    });
  },
};

/** CONVENTIONS.md, "Dynamic Plugin specific fields". */
const knownNames = [
  "portMappings",
  "ipRanges",
  "bandwidth",
  "dns",
  "ips",
  "mac",
  "infinibandGUID",
  "deviceID",
  "aliases",
  "cgroupPath",
];
