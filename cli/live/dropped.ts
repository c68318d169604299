import { isJsonObject } from "../../shared/protocol/json.ts";
import type { List } from "../lists/list.ts";
import type { CachedAttachment } from "./cached-results.ts";

/**
 * The plain plugins that made rules on the host for an attachment and are in the list no more, a line each: the runtime does not
 * run their DEL. Of a wrapped one, the wrappers that are left run it.
 */
export function droppedPlugins({ plugins }: List, { list, capabilityArgs }: CachedAttachment): readonly string[] {
  const before = Array.isArray(list?.plugins) ? list.plugins.filter(isJsonObject) : [];
  const { portMappings } = capabilityArgs;
  const hasPorts = Array.isArray(portMappings) && portMappings.length > 0;
  return ["portmap", "firewall"].flatMap((name) => {
    const isGone = before.some(({ type }) => type === name) && !plugins.some(({ delegate }) => delegate === name);
    if (!isGone || (name === "portmap" && !hasPorts)) return [];
    return `${name} is in the list no more, so DEL leaves its rules: put it back until the containers that have them are gone`;
  });
}
