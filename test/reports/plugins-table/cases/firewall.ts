import type { PluginCase } from "../case.ts";

export default {
  role: "meta",
  plugin: () => ({ type: "firewall", backend: "iptables" }),
  effect: {
    read: async ({ lab, container, ifName }) => {
      const [address = ""] = await lab.kernel.addresses(container, ifName);
      const rules = await lab.kernel.packetRules();
      return rules.filter((rule) => rule.includes(` ${address.replace(/\/.*/, "/32")} `));
    },
    expected: (which) => [
      `-A CNI-FORWARD -d 10.10.${which}.2/32 -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT`,
      `-A CNI-FORWARD -s 10.10.${which}.2/32 -j ACCEPT`,
    ],
  },
  fault: {
    words: "rule deleted",
    make: ({ lab }, which) => lab.run("iptables", ["-D", "CNI-FORWARD", "-s", `10.10.${which}.2/32`, "-j", "ACCEPT"]),
    message: () => /^expected rule .* not found$/,
  },
} satisfies PluginCase;
