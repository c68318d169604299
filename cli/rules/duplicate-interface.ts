import type { ListRule } from "../lint/rule.ts";
import { freeName } from "../lists/chain.ts";
import type { ListedPlugin } from "../lists/list.ts";

/** Two creators cannot make one interface. */
export const duplicateInterface: ListRule = {
  of: "list",
  code: "duplicate-interface",
  severity: "error",
  title: "Two interface creators make an interface of the same name.",
  page: `The second one's ADD fails with code 7: \`interface name eth0 is taken\`. Give each creator its own \`ifName\`. Only one
may have none: it gets the runtime's name, usually \`eth0\`.`,
  find({ plugins }) {
    const creators = plugins.filter(({ role, isWrapped }) => role === "creator" && isWrapped);
    return creators.flatMap((plugin, position) => {
      const earlier = creators.slice(0, position).find(({ ifName }) => ifName === plugin.ifName);
      if (!earlier || hasMisspeltName(plugin)) return [];
      const isKey = plugin.wrapper.ifName === undefined;
      const at = [...plugin.path, ...(isKey ? ["type"] : ["wrapper", "ifName"])];
      const message = `${plugin.type} makes ${plugin.ifName}, which ${earlier.type} makes already`;
      return [
        {
          at,
          isKey,
          message,
          hint: `Set wrapper.ifName to another name, such as "${freeName(plugins.map(({ ifName }) => ifName))}"`,
        },
      ];
    });
  },
};

// Another rule reports the key. Its interface has the runtime's name only because of that.
function hasMisspeltName({ configuration, wrapper }: ListedPlugin): boolean {
  const keys = [...Object.keys(configuration), ...Object.keys(wrapper)];
  return wrapper.ifName === undefined && keys.some((key) => key.toLowerCase() === "ifname");
}
