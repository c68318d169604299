import type { PluginRule } from "../lint/rule.ts";

export const uselessSlaac: PluginRule = {
  severity: "warning",
  title: "wrapper.slaac has no effect on a chained plugin.",
  page: `Only the wrapper of an interface plugin waits for an address from a router. A chained plugin gets that address in
prevResult. Move \`slaac\` to the plugin that makes the interface. See
[addresses from a router](configuration.md#addresses-from-a-router).`,
  findInPlugin({ isWrapped, wrapper, role, type, ifName }) {
    if (!isWrapped || wrapper.slaac === undefined || role !== "meta") return undefined;
    const message = `${type} makes no interface, so nothing waits for an address`;
    return { at: ["wrapper", "slaac"], isKey: true, message, hint: `Move slaac to the plugin that makes ${ifName}` };
  },
};
