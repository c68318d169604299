import type { Place, PluginCase } from "../case.ts";

export default {
  role: "meta",
  options: {
    ports: [
      { hostPort: 8000, containerPort: 80, protocol: "tcp" },
      { hostPort: 8001, containerPort: 443, protocol: "tcp" },
    ],
  },
  plugin: () => ({ type: "portmap", capabilities: { portMappings: true } }),
  effect: {
    read: targets,
    expected: (which) => [8000, 8001].map((port) => `--dport ${port} -j DNAT --to-destination 10.10.${which}.2`),
  },
  fault: {
    words: "DNAT rule deleted",
    make: async ({ lab }, which) => {
      const rule = (await lab.kernel.packetRules()).find((text) => text.includes(`--to-destination 10.10.${which}.2:`));
      await lab.run("iptables", ["--table", "nat", ...(rule ?? "").replace("-A", "-D").split(" ")]);
    },
    message: () => /^could not check ipv4 dnat: /,
  },
} satisfies PluginCase;

/** The targets of the published ports that lead to the interface. */
async function targets({ lab, container, ifName }: Place): Promise<string[]> {
  const [address = ""] = await lab.kernel.addresses(container, ifName);
  const target = new RegExp(`--dport \\d+ -j DNAT --to-destination ${address.replace(/\/.*/, "")}\\b`);
  return (await lab.kernel.packetRules()).flatMap((rule) => target.exec(rule)?.[0] ?? []);
}
