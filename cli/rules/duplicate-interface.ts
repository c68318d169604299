import type { ListRule } from "../lint/rule.ts";
import { keyAt, valueAt } from "../lists/list-file.ts";

/** Two creators cannot make one interface. */
export const duplicateInterface: ListRule = {
  of: "list",
  code: "duplicate-interface",
  severity: "error",
  title: "Two interface creators make an interface of the same name.",
  page: `The second one's ADD fails with code 7: \`interface name eth0 is taken\`. Give each creator its own \`ifName\`. Only one
may have none: it gets the runtime's name, usually \`eth0\`.`,
  find({ file, plugins }) {
    const creators = plugins.filter(({ role, isWrapped }) => role === "creator" && isWrapped);
    return creators.flatMap((plugin, position) => {
      const earlier = creators.slice(0, position).find(({ ifName }) => ifName === plugin.ifName);
      if (!earlier) return [];
      const named = plugin.wrapper.ifName !== undefined;
      const place = named
        ? valueAt(file, [...plugin.path, "wrapper", "ifName"])
        : keyAt(file, [...plugin.path, "type"]);
      const message = `${plugin.type} makes ${plugin.ifName}, which ${earlier.type} makes already`;
      return [{ place, message, hint: `Set wrapper.ifName to another name, such as "${freeName(plugins)}"` }];
    });
  },
};

/** The first name of `eth1`, `eth2`, ... that no plugin has. */
function freeName(plugins: readonly { readonly ifName: string }[]): string {
  for (let index = 1; ; index++) {
    const name = `eth${index}`;
    if (!plugins.some(({ ifName }) => ifName === name)) return name;
  }
}
