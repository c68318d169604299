import { sharedDeviceName } from "../../shared/plugin/profile.ts";
import type { PluginRule } from "../lint/rule.ts";

export const deviceName: PluginRule = {
  title: "An interface has the name of its own bridge.",
  page: `bridge's CHECK looks up the bridge and the container's interface by name, and would confuse them. ADD fails with code 7
(\`interface name disc0 is taken\`). Change \`ifName\` or \`bridge\`.`,
  findInPlugin({ index, profile, configuration, isWrapped, isRenamed, ifName, wrapper }) {
    const device = sharedDeviceName(profile, configuration);
    if (!isWrapped || device !== ifName || (index === 0 && !isRenamed)) return undefined;
    const found = { message: `${ifName} is the plugin's own bridge, too`, hint: "Change ifName or bridge" };
    return wrapper.ifName === undefined
      ? { at: ["bridge"], isKey: true, ...found }
      : { at: ["wrapper", "ifName"], ...found };
  },
};
