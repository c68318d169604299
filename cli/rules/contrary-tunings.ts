import { objectOf } from "../../shared/protocol/json.ts";
import type { PluginRule } from "../lint/rule.ts";
import { kernelMac } from "../lists/kernel-text.ts";
import { isRewritten, type ListedPlugin, runsCheck } from "../lists/list.ts";

export const contraryTunings: PluginRule = {
  title: "Two tunings of one interface expect different values, so CHECK fails.",
  page: `tuning's CHECK compares the interface with its own values. If a later tuning sets another \`mtu\`, the first one's CHECK fails
(\`configured MTU of eth0 is 1300, current value is 1400\`). It is the same with \`mac\`, \`txQLen\`, \`allmulti\` and a sysctl. A tuning
without \`promisc\` expects it to be off (\`configured promisc is false, current value is 1\`). Write all values of an
interface into one tuning.`,
  findInPlugin(plugin, list) {
    if (!runsCheck(list) || !isTuning(plugin)) return undefined;
    const own = expectedBy(plugin);
    for (const other of list.plugins.slice(0, plugin.index)) {
      if (!isTuning(other) || other.ifName !== plugin.ifName) continue;
      const others = expectedBy(other);
      const key = [...own.keys()].find((one) => others.has(one) && others.get(one) !== own.get(one));
      if (key === undefined) continue;
      const message = `${plugin.type} and the ${other.type} before it expect different values of ${key} on ${plugin.ifName}`;
      return { at: ["type"], message, hint: `Write all values of ${plugin.ifName} into one tuning` };
    }
    return undefined;
  },
};

function isTuning(plugin: ListedPlugin): boolean {
  return plugin.delegate === "tuning" && !isRewritten(plugin);
}

/** What CHECK compares. Promiscuous mode counts also if it is not set. */
function expectedBy({ configuration }: ListedPlugin): ReadonlyMap<string, unknown> {
  const { promisc, mac, mtu, txQLen, allmulti, sysctl } = configuration;
  // Another rule reports how a MAC is written.
  const address = typeof mac === "string" && mac !== "" ? (kernelMac(mac) ?? mac) : undefined;
  const own = { promisc: promisc === true, mac: address, mtu: mtu || undefined, txQLen, allmulti };
  const values = Object.entries({ ...own, ...objectOf(sysctl) });
  return new Map(values.filter(([, value]) => value !== undefined && value !== null));
}
