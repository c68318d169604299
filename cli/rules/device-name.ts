import { sharedDeviceName } from "../../shared/plugin/shared-device.ts";
import type { ListRule } from "../lint/rule.ts";
import { keyAt, valueAt } from "../lists/list-file.ts";

/** The plugin's CHECK would confuse the interface with its own device. */
export const deviceName: ListRule = {
  of: "list",
  code: "device-name",
  severity: "error",
  title: "An interface has the name of its own bridge.",
  page: `bridge's CHECK looks up the bridge and the container's interface by name, and would confuse them. ADD fails with code 7
(\`interface name disc0 is taken\`). Change \`ifName\` or \`bridge\`.`,
  find({ file, plugins }) {
    return plugins.flatMap(({ index, path, profile, configuration, isWrapped, isRenamed, ifName, wrapper }) => {
      const device = profile?.sharedDevice && sharedDeviceName(profile.sharedDevice, configuration);
      if (!isWrapped || device !== ifName || (index === 0 && !isRenamed)) return [];
      const named = wrapper.ifName !== undefined;
      const place = named ? valueAt(file, [...path, "wrapper", "ifName"]) : keyAt(file, [...path, "bridge"]);
      return [{ place, message: `${ifName} is the plugin's own bridge, too`, hint: "Change ifName or bridge" }];
    });
  },
};
