import { goLookup, isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import { delGetsResult } from "../../shared/protocol/versions.ts";
import type { List, ListedPlugin } from "../lists/list.ts";

/** A plugin that needs its wrapper. */
export interface Need {
  readonly plugin: ListedPlugin;
  /** The reason, if it is not that the list has several creators. */
  readonly why?: string;
}

/**
 * Returns the plugins of a list that need their wrappers: all creators if there are several, and what fails without one. A meta
 * plugin between creators is wrapped where it is. In the plain list it saw only the interfaces before it, and the wrapper keeps that.
 */
export function needsOf({ plugins, cniVersion }: List): readonly Need[] {
  const creators = plugins.filter(({ role }) => role === "creator");
  // CHECK came with the version in which DEL gets the result.
  const hasCheck = delGetsResult(cniVersion);
  const moving = plugins.find(({ profile }) => profile?.movesRoutes);
  return plugins.flatMap((plugin): readonly Need[] => {
    if (plugin.role === "creator")
      return creators.length > 1 ? [{ plugin }] : hasCheck ? aloneNeed(plugin, moving) : [];
    if (plugin.role !== "meta" || creators.length === 0) return [];
    if (hasCheck && plugin.profile?.movesRoutes)
      return [{ plugin, why: "CHECK finds the routes that it moves only through wrappers" }];
    const next = creators.find(({ index }) => index > plugin.index);
    const isBetween = next !== undefined && creators.some(({ index }) => index < plugin.index);
    return isBetween
      ? [{ plugin, why: `${next.delegate} comes after it, and its CHECK must not see that interface` }]
      : [];
  });
}

/** Reasons why the CHECK of an only creator fails without a wrapper. */
function aloneNeed(plugin: ListedPlugin, moving: ListedPlugin | undefined): readonly Need[] {
  const { profile, configuration, delegate } = plugin;
  if (moving) return [{ plugin, why: `its CHECK looks for the routes that ${moving.delegate} moves` }];
  const ipam = goLookup(configuration, "ipam");
  const hasIpam = isJsonObject(ipam) && Boolean(goLookup(ipam, "type"));
  if (profile?.checkNeedsIpam && !hasIpam)
    return [{ plugin, why: `CHECK of the plain ${delegate} fails without ipam` }];
  const device = profile?.sharedDevice;
  if (!device || (hasIpam && hasGatewayAddress(configuration))) return [];
  const why = `the ${device.key}'s MAC changes with its containers, and CHECK of the plain ${delegate} then fails`;
  return [{ plugin, why }];
}

/** Whether bridge gives its device an address, and with it a MAC that stays. With `vlan` another device gets it. */
function hasGatewayAddress(configuration: JsonObject): boolean {
  const isSet = (key: string) => Boolean(goLookup(configuration, key));
  return (isSet("isGateway") || isSet("isDefaultGateway")) && !isSet("vlan");
}
