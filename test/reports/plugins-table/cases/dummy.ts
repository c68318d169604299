import { addresses, leased, type PluginCase } from "../case.ts";

export default {
  role: "creator",
  needs: "dummy",
  plugin: (which) => ({ type: "dummy", ipam: leased(`10.17.${which}.0/24`) }),
  effect: { read: addresses, expected: (which) => [`10.17.${which}.2/24`] },
  fault: {
    words: "interface down",
    make: ({ lab, container, ifName }) => lab.ip(container, "link", "set", ifName, "down"),
    message: (ifName) => new RegExp(`^Interface ${ifName} is down$`),
  },
} satisfies PluginCase;
