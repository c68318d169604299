import type { PluginRule } from "../lint/rule.ts";
import { runtimeIfName } from "../lists/list.ts";

export const runtimesOwnName: PluginRule = {
  severity: "warning",
  title: "ifName is the runtime's own name.",
  page: `Without \`ifName\`, an interface gets the name that the runtime asks for, usually \`eth0\`. Do not write that name: a GC
may not say which name is the runtime's. The wrapper then treats the interface as renamed, and looks for its leases in
another network. Leave \`ifName\` out.`,
  findInPlugin({ isWrapped, wrapper }) {
    if (!isWrapped || wrapper.ifName !== runtimeIfName) return undefined;
    const message = `${runtimeIfName} is the runtime's own name`;
    return { at: ["wrapper", "ifName"], message, hint: "Leave ifName out" };
  },
};
