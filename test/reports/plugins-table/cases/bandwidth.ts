import type { PluginCase } from "../case.ts";

const rates = { ingressRate: 8_000_000, ingressBurst: 800_000, egressRate: 8_000_000, egressBurst: 800_000 };

export default {
  role: "meta",
  plugin: () => ({ type: "bandwidth", ...rates }),
  effect: {
    read: async ({ lab, container, ifName }) => {
      const veth = await lab.kernel.hostVeth(container, ifName);
      const qdiscs: { kind: string }[] = JSON.parse(await lab.run("tc", ["-json", "qdisc", "show", "dev", veth]));
      const { interfaces = [] } = await lab.kernel.cachedResult("zone", container.name);
      const names = interfaces.map(({ name }) => (name === veth ? "veth" : name.replace(/^(bwp)[0-9a-f]+$/, "$1")));
      return [qdiscs.map(({ kind }) => kind), names.slice(names.indexOf("veth"), names.indexOf(ifName) + 1)];
    },
    expected: (_, ifName) => [
      ["tbf", "ingress"],
      ["veth", "bwp", ifName],
    ],
  },
  fault: {
    words: "another rate",
    make: async ({ lab, container, ifName }) => {
      const veth = await lab.kernel.hostVeth(container, ifName);
      const words = ["rate", "4mbit", "burst", "100kb", "latency", "25ms"];
      await lab.run("tc", ["qdisc", "replace", "dev", veth, "root", "tbf", ...words]);
    },
    message: () => /^Rate doesn't match$/,
  },
} satisfies PluginCase;
