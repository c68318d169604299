import { addresses, leased, type PluginCase } from "../case.ts";

export default {
  role: "creator",
  plugin: (which) => ({ type: "macvlan", master: "uplink0", ipam: leased(`10.11.${which}.0/24`) }),
  effect: { read: addresses, expected: (which) => [`10.11.${which}.2/24`] },
  fault: {
    words: "another mode",
    make: ({ lab, container, ifName }) =>
      lab.ip(container, "link", "set", ifName, "type", "macvlan", "mode", "private"),
    message: () => /^container macvlan mode private does not match expected value: bridge$/,
  },
} satisfies PluginCase;
