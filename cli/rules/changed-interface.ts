import type { Entry } from "../../shared/journal/journal.ts";
import type { ListRule } from "../lint/rule.ts";
import { hasKnownName, type List } from "../lists/list.ts";

export const changedInterface: ListRule = {
  title: "The name of an interface has changed, and containers have it under the old name (`--state`).",
  page: `CHECK uses the new list, so it fails for containers that were attached with the old \`ifName\`. When a Nomad client
restarts, it destroys their network. DEL still works, because it follows the journal. Stop the containers of the list
before you change \`ifName\`.`,
  findInList(list, { state }) {
    const lost = (state?.entries ?? []).filter((entry) => entry.network === list.name && !isMade(entry, list));
    const names = new Map(lost.map((entry) => [`${entry.type} ${entry.ifName}`, entry]));
    return [...names.values()].map((entry) => {
      const same = list.plugins.find(({ delegate, isWrapped }) => isWrapped && delegate === entry.type);
      const at = same?.wrapper.ifName === undefined ? ["name"] : [...same.path, "wrapper", "ifName"];
      return {
        at,
        message: `containers have ${entry.ifName} of ${entry.type}, and no plugin of the list makes it now`,
        hint: `Keep the name ${entry.ifName}, or stop these containers first`,
      };
    });
  },
};

function isMade({ type, ifName, runtimeIfName }: Entry, list: List): boolean {
  return list.plugins.some((plugin) => {
    if (plugin.delegate !== type) return false;
    return !hasKnownName(list, plugin) || (plugin.wrapper.ifName ?? runtimeIfName) === ifName;
  });
}
