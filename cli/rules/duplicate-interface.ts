import type { PluginRule } from "../lint/rule.ts";
import { creatorsOf, freeName, type ListedPlugin } from "../lists/list.ts";

export const duplicateInterface: PluginRule = {
  title: "Two interface plugins make an interface of the same name.",
  page: `The second one's ADD fails with code 7: \`interface name eth0 is taken\`. Give each plugin its own \`ifName\`. Only one
may have none: it gets the runtime's name, usually \`eth0\`.`,
  findInPlugin(plugin, { plugins }) {
    const isMaker = ({ role, isWrapped }: ListedPlugin) => role === "creator" && isWrapped;
    const makers = plugins.slice(0, plugin.index).filter(isMaker);
    const earlier = makers.find(({ ifName }) => ifName === plugin.ifName);
    if (!earlier || !isMaker(plugin) || hasMisspeltName(plugin)) return undefined;
    const isKey = plugin.wrapper.ifName === undefined;
    const message = `${plugin.type} makes ${plugin.ifName}, which ${earlier.type} makes already`;
    // A name that only a chained plugin has is perhaps the one that is missing here.
    const free = freeName(creatorsOf({ plugins }).map(({ ifName }) => ifName));
    const hint = `Set wrapper.ifName to another name, such as "${free}"`;
    return { at: isKey ? ["type"] : ["wrapper", "ifName"], isKey, message, hint };
  },
};

// Another rule reports the key. Its interface has the runtime's name only because of that.
function hasMisspeltName({ configuration, wrapper }: ListedPlugin): boolean {
  const keys = [...Object.keys(configuration), ...Object.keys(wrapper)];
  return wrapper.ifName === undefined && keys.some((key) => key.toLowerCase() === "ifname");
}
