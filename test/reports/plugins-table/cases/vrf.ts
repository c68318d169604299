import type { PluginCase } from "../case.ts";

export default {
  role: "meta",
  needs: "vrf",
  plugin: (which) => ({ type: "vrf", vrfname: `blue${which}` }),
  effect: {
    read: async ({ lab, container, ifName }) => (await lab.kernel.link(container, ifName)).master,
    expected: (which) => `blue${which}`,
  },
  fault: {
    words: "out of the VRF",
    make: ({ lab, container, ifName }) => lab.ip(container, "link", "set", ifName, "nomaster"),
    // The wrapper looks for the routes first. They went with the interface.
    message: (ifName) => new RegExp(`^routing of interface ${ifName} has changed|failed to find ${ifName} associated`),
  },
} satisfies PluginCase;
