import { goLookup } from "../../shared/protocol/json.ts";
import type { PluginRule } from "../lint/rule.ts";
import { isRewritten, runsCheck } from "../lists/list.ts";

export const ipvlanMaster: PluginRule = {
  title: "ipvlan has no master.",
  page: `Without \`master\`, ipvlan's ADD uses the interface with the host's default route. If there is none, it fails (\`no default
route interface found\`). CHECK fails in any case: it looks for a master with an empty name (\`failed to lookup master\`).
Set \`master\`.`,
  findInPlugin(plugin, list) {
    const { delegate, type, configuration } = plugin;
    if (delegate !== "ipvlan" || !runsCheck(list) || isRewritten(plugin)) return undefined;
    if (goLookup(configuration, "master")) return undefined;
    const message = `${type} has no master: ADD needs a default route on the host, and CHECK does not look for one`;
    return { at: ["type"], message, hint: 'Set "master" to an interface of the host' };
  },
};
