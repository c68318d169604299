import { addresses, leased, macChanged, type PluginCase } from "../case.ts";

export default {
  role: "creator",
  prepare: async (lab) => {
    for (const which of [0, 1]) {
      await lab.ip(undefined, "link", "add", `card${which}`, "type", "veth", "peer", "name", `wire${which}`);
    }
  },
  plugin: (which) => ({ type: "host-device", device: `card${which}`, ipam: leased(`10.15.${which}.0/24`) }),
  effect: { read: addresses, expected: (which) => [`10.15.${which}.2/24`] },
  fault: macChanged,
} satisfies PluginCase;
