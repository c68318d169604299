import { addresses, addressLost, leased, type PluginCase } from "../case.ts";

export default {
  role: "creator",
  needs: "vlan",
  plugin: (which) => ({ type: "vlan", master: "uplink0", vlanId: 5 + which, ipam: leased(`10.14.${which}.0/24`) }),
  effect: { read: addresses, expected: (which) => [`10.14.${which}.2/24`] },
  fault: addressLost((which) => `10.14.${which}.2/24`),
} satisfies PluginCase;
