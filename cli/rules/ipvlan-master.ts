import type { ListRule } from "../lint/rule.ts";
import { isRewritten, runsCheck } from "../lists/chain.ts";
import { valueAt } from "../lists/list-file.ts";

/** ipvlan finds a master by itself on ADD, and not on CHECK. */
export const ipvlanMaster: ListRule = {
  of: "list",
  code: "ipvlan-master",
  severity: "error",
  title: "ipvlan has no master.",
  page: `Without \`master\`, ipvlan's ADD uses the interface with the host's default route. If there is none, it fails (\`no default
route interface found\`). CHECK fails in any case: it looks for a master with an empty name (\`failed to lookup master\`).
Set \`master\`.`,
  find(list) {
    if (!runsCheck(list)) return [];
    const lost = list.plugins.filter((plugin) => {
      const { delegate, configuration } = plugin;
      return (
        delegate === "ipvlan" &&
        !isRewritten(plugin) &&
        (configuration.master === undefined || configuration.master === "")
      );
    });
    return lost.map(({ path, type }) => ({
      place: valueAt(list.file, [...path, "type"]),
      message: `${type} has no master: ADD needs a default route on the host, and CHECK does not look for one`,
      hint: 'Set "master" to an interface of the host',
    }));
  },
};
