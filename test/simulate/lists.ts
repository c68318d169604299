import { isJsonObject } from "../../shared/protocol/json.ts";
import type { ListedPlugin } from "./runtime.ts";

/** Network configuration lists, by name. */
export type Lists = Readonly<Record<string, readonly ListedPlugin[]>>;

/** Whether nothing of a list is wrapped. */
export function isPlain(list: readonly ListedPlugin[] = []): boolean {
  return list.every(({ type }) => !type.endsWith("-wrapper"));
}

/** Returns a list without one plugin. */
export function removed(list: readonly ListedPlugin[], plugin: number): readonly ListedPlugin[] {
  return list.filter((_, index) => index !== plugin);
}

/** Returns a list with the plain plugins instead of their wrappers. */
export function unwrapped(list: readonly ListedPlugin[]): readonly ListedPlugin[] {
  return list.map(({ wrapper: _, type, ...rest }) => ({ ...rest, type: type.replace(/-wrapper$/, "") }));
}

/** Returns a list of plain plugins with their wrappers. */
export function wrapped(list: readonly ListedPlugin[]): readonly ListedPlugin[] {
  return list.map(({ type, ...rest }) => ({ ...rest, type: `${type}-wrapper` }));
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
