import { addresses, addressLost, leased, type PluginCase } from "../case.ts";

export default {
  role: "creator",
  plugin: (which) => ({ type: "tap", ipam: leased(`10.16.${which}.0/24`) }),
  effect: { read: addresses, expected: (which) => [`10.16.${which}.2/24`] },
  fault: addressLost((which) => `10.16.${which}.2/24`),
} satisfies PluginCase;
