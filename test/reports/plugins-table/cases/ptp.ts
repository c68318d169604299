import { addresses, leased, macChanged, type PluginCase } from "../case.ts";

export default {
  role: "creator",
  plugin: (which) => ({ type: "ptp", ipMasq: true, ipam: leased(`10.12.${which}.0/24`) }),
  effect: { read: addresses, expected: (which) => [`10.12.${which}.2/24`] },
  fault: macChanged,
} satisfies PluginCase;
