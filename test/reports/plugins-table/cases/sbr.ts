import { linesOf } from "../../../support/kernel.ts";
import type { Place, PluginCase } from "../case.ts";

export default {
  role: "meta",
  plugin: () => ({ type: "sbr" }),
  effect: {
    read: async (place) => {
      const table = await tableOf(place);
      const [own, main] = [await routes(place, table), await routes(place, "main")];
      return { own, main };
    },
    expected: (which) => ({
      own: [`default via 10.10.${which}.1`, `10.10.${which}.0/24 proto kernel scope link src 10.10.${which}.2`],
      main: [],
    }),
  },
  fault: {
    words: "route deleted in its table",
    make: async (place, which) =>
      place.lab.ip(place.container, "route", "del", `10.10.${which}.0/24`, "table", await tableOf(place)),
    message: (ifName) => new RegExp(`^routing of interface ${ifName} has changed.*10\\.10\\.[01]\\.0/24 table 10[01]`),
  },
} satisfies PluginCase;

async function routes({ lab, container, ifName }: Place, table: string): Promise<string[]> {
  return linesOf(await lab.ip(container, "-4", "route", "show", "table", table, "dev", ifName));
}

/** The table that the rule for the interface's address leads to. */
async function tableOf({ lab, container, ifName }: Place): Promise<string> {
  const [address = ""] = await lab.kernel.addresses(container, ifName);
  const rules = await lab.ip(container, "-4", "rule");
  return new RegExp(`from ${address.replace(/\/.*/, "")} lookup (\\d+)`).exec(rules)?.[1] ?? "none";
}
