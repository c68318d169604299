import type { PluginRule } from "../lint/rule.ts";
import { creatorsOf, type ListedPlugin, runtimeIfName } from "../lists/list.ts";

export const plainMetaInterface: PluginRule = {
  severity: "warning",
  title: "A plain tuning or bandwidth acts on one of several interfaces, and does not say which.",
  page: `A plain tuning or bandwidth acts on the runtime's interface (\`eth0\`), wherever it is in the list. In a list with several
interfaces that is easy to overlook. Use the wrapper: its \`ifName\` says which interface is meant. Without \`ifName\` it is
the runtime's, too. tuning's settings for the whole namespace, such as \`net.core.somaxconn\`, are no reason for an alarm.`,
  findInPlugin(plugin, list) {
    const { isWrapped, type } = plugin;
    const names = creatorsOf(list).map(({ ifName }) => ifName);
    if (names.length < 2 || isWrapped || !actsOnOne(plugin)) return undefined;
    const message = `${type} acts on ${runtimeIfName} only, and the list makes ${names.join(", ")}`;
    const hint = `Use ${type}-wrapper, and set wrapper.ifName if another interface is meant`;
    return { at: ["type"], message, hint };
  },
};

const interfaceKeys = ["mac", "mtu", "promisc", "allmulti", "txQLen"];

function actsOnOne({ delegate, configuration }: ListedPlugin): boolean {
  if (delegate === "bandwidth") return true;
  if (delegate !== "tuning") return false;
  const { sysctl } = configuration;
  const settings = typeof sysctl === "object" && sysctl !== null ? Object.keys(sysctl) : [];
  return interfaceKeys.some((key) => configuration[key]) || settings.some((key) => key.includes("IFNAME"));
}
