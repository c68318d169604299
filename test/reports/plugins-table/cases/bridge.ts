import { addresses, leased, type PluginCase } from "../case.ts";

export default {
  role: "creator",
  plugin: (which) => ({ type: "bridge", bridge: `br${which}`, isGateway: true, ipam: leased(`10.10.${which}.0/24`) }),
  effect: { read: addresses, expected: (which) => [`10.10.${which}.2/24`] },
  fault: {
    words: "veth out of the bridge",
    make: async ({ lab, container, ifName }) =>
      lab.ip(undefined, "link", "set", await lab.kernel.hostVeth(container, ifName), "nomaster"),
    message: () => /^CNI veth created for bridge br[01] was not found$/,
  },
} satisfies PluginCase;
