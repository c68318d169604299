import type { ListRule } from "../lint/rule.ts";
import { runtimeIfName } from "../lists/list.ts";
import { valueAt } from "../lists/list-file.ts";

/** GC and STATUS do not say which name is the runtime's. */
export const runtimesOwnName: ListRule = {
  of: "list",
  code: "runtimes-own-name",
  severity: "warning",
  title: "ifName is the runtime's own name.",
  page: `Without \`ifName\`, an interface gets the name that the runtime asks for, usually \`eth0\`. Do not write that name: a GC
may not say which name is the runtime's. The wrapper then treats the interface as renamed, and looks for its leases in
another network. Leave \`ifName\` out.`,
  find({ file, plugins }) {
    const named = plugins.filter(({ isWrapped, wrapper }) => isWrapped && wrapper.ifName === runtimeIfName);
    return named.map(({ path }) => ({
      place: valueAt(file, [...path, "wrapper", "ifName"]),
      message: `${runtimeIfName} is the runtime's own name`,
      hint: "Leave ifName out",
    }));
  },
};
