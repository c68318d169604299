import type { PluginCase } from "../case.ts";

export default {
  role: "meta",
  plugin: (which) => ({ type: "tuning", mac: `02:00:5e:00:00:0${which}`, mtu: 1400 }),
  effect: {
    read: async ({ lab, container, ifName }) => {
      const { address, mtu } = await lab.kernel.link(container, ifName);
      const { interfaces = [] } = await lab.kernel.cachedResult("zone", container.name);
      return { address, mtu, reported: interfaces.find(({ name }) => name === ifName)?.mac };
    },
    expected: (which) => {
      const mac = `02:00:5e:00:00:0${which}`;
      return { address: mac, mtu: 1400, reported: mac };
    },
  },
  fault: {
    words: "another MTU",
    make: ({ lab, container, ifName }) => lab.ip(container, "link", "set", ifName, "mtu", "1300"),
    message: (ifName) => new RegExp(`^Error: Tuning configured MTU of ${ifName} is 1400, current value is 1300$`),
  },
} satisfies PluginCase;
