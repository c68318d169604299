import { isJsonObject } from "../../shared/protocol/json.ts";
import type { ListedPlugin } from "./runtime.ts";

/** Network configuration lists, by name. */
export type Lists = Readonly<Record<string, readonly ListedPlugin[]>>;

/** Returns a list without one plugin. */
export function removed(list: readonly ListedPlugin[], plugin: number): readonly ListedPlugin[] {
  return list.filter((_, index) => index !== plugin);
}

/** Returns a list in which two interface names are exchanged. The empty one is the runtime's. */
export function renamed(list: readonly ListedPlugin[], from: string, to: string): readonly ListedPlugin[] {
  const names: Readonly<Record<string, string>> = { [from]: to, [to]: from };
  return list.map((plugin) => {
    if (!plugin.type.endsWith("-wrapper")) return plugin;
    const { ifName = "", ...rest } = isJsonObject(plugin.wrapper) ? plugin.wrapper : {};
    const name = names[String(ifName)] ?? ifName;
    return { ...plugin, wrapper: { ...(name !== "" && { ifName: name }), ...rest } };
  });
}
