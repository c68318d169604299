import { objectOf } from "../../shared/protocol/json.ts";
import type { PluginRule } from "../lint/rule.ts";
import { kernelMac, kernelNumbers } from "../lists/kernel-text.ts";
import { isRewritten, runsCheck } from "../lists/list.ts";

export const kernelSpelling: PluginRule = {
  title: "The kernel writes a value of tuning in another way, so CHECK fails.",
  page: `tuning's CHECK compares the text in the list with the kernel's, letter by letter. The kernel writes tabs between numbers, and a
MAC address in lower case with colons. With \`"net.ipv4.ip_local_port_range": "1024 65000"\`, ADD passes and CHECK fails
(\`configured value of /proc/sys/net/ipv4/ip_local_port_range is 1024 65000\`). With \`"mac": "02:AA:..."\`, the interface
plugin's CHECK fails, too (\`doesn't match container Mac\`). Write the value as the kernel does: \`lint --fix\` does it.`,
  findInPlugin(plugin, list) {
    const { delegate, configuration } = plugin;
    if (delegate !== "tuning" || !runsCheck(list) || isRewritten(plugin)) return [];
    const settings = Object.entries(objectOf(configuration.sysctl));
    return [
      ...settings.flatMap(([key, value]) => otherwise(["sysctl", key], value, kernelNumbers)),
      ...otherwise(["mac"], configuration.mac, kernelMac),
    ];
  },
};

function otherwise(at: readonly string[], value: unknown, kernels: (text: string) => string | undefined) {
  const text = typeof value === "string" ? kernels(value) : undefined;
  if (text === undefined || text === value) return [];
  const right = JSON.stringify(text);
  return [{ at, message: `the kernel writes ${right}, so CHECK fails`, hint: `Write ${right}`, instead: right }];
}
