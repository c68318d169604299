import { addresses, addressLost, leased, type PluginCase } from "../case.ts";

export default {
  role: "creator",
  needs: "ipvlan",
  plugin: (which) => ({ type: "ipvlan", master: "uplink0", ipam: leased(`10.13.${which}.0/24`) }),
  effect: { read: addresses, expected: (which) => [`10.13.${which}.2/24`] },
  fault: addressLost((which) => `10.13.${which}.2/24`),
} satisfies PluginCase;
