import type * as z from "zod";
import { pluginKeys } from "../../plugins/keys.ts";
import { goLookup, isJsonObject } from "../../shared/protocol/json.ts";
import type { ListedPlugin } from "../lists/list.ts";
import { commonKeysFor } from "./common.ts";

/** The schemas of a plugin configuration: of the keys that every plugin may have, and of the plugin's own ones. */
interface PluginSchemas {
  readonly common: z.ZodObject;
  /** Undefined for an unknown plugin, which may have any key. */
  readonly own: z.ZodObject | undefined;
}

/** Returns the schemas that fit a plugin of a list. */
export function schemasOf({ delegate, configuration }: ListedPlugin): PluginSchemas {
  const ipam = goLookup(configuration, "ipam");
  const common = commonKeysFor(isJsonObject(ipam) ? goLookup(ipam, "type") : undefined);
  const keys: Readonly<Record<string, z.ZodObject>> = pluginKeys;
  return { common, own: Object.hasOwn(keys, delegate) ? keys[delegate] : undefined };
}
