import type { PluginRule } from "../lint/rule.ts";
import { ipamTypeOf } from "../lists/ipam.ts";

export const missingIpam: PluginRule = {
  title: "An IPAM plugin is not in `--cni-path`.",
  page: `The plugin runs the one in \`ipam.type\` to get its addresses. It looks for it in the directories of CNI_PATH. Without
it, ADD fails: \`failed to find plugin "host-local" in path [/opt/cni/bin]\`.`,
  findInPlugin({ configuration }, _, { plugins }) {
    const type = ipamTypeOf(configuration);
    if (!plugins || type === undefined || plugins.find(type)) return undefined;
    const message = `no directory of --cni-path has ${type}`;
    return { at: ["ipam", "type"], message, hint: `Install ${type}, or fix the type` };
  },
};
