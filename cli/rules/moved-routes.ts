import { objectOf, objectsOf } from "../../shared/protocol/json.ts";
import type { FoundAt, ListRule } from "../lint/rule.ts";
import { hasIpam, ipamTypeOf, routesElsewhere } from "../lists/ipam.ts";
import { creatorFor, creatorsOf, type List, type ListedPlugin, runsCheck } from "../lists/list.ts";

export const movedRoutes: ListRule = {
  title: "Routes of a plugin are in another table than the main one, and no wrapper looks for them there.",
  page: `CHECK of the interface plugins looks for all routes in the main table. With a \`table\` of a route in the list it fails
(\`Expected Route ... not found in routing table\`): wrap the plugin. sbr and vrf move an interface's routes to another table, and
CHECK of the interface's plugin fails, too (\`Failed to find Gateway\`,
[containernetworking/plugins#297](https://github.com/containernetworking/plugins/issues/297)). The wrappers look where the
routes are: see [sbr](../plugins/sbr/README.md#notes-and-upstream-bugs). Wrap both plugins.`,
  findInList(list) {
    if (!runsCheck(list)) return [];
    return [...list.plugins.flatMap((plugin) => foundIn(list, plugin) ?? []), ...tablesOf(list)];
  },
};

/** The first route that the only interface plugin, a plain one, has in another table. */
function tablesOf(list: List): readonly FoundAt[] {
  const [only, another] = creatorsOf(list);
  if (!only || another || only.isWrapped) return [];
  const message = `CHECK of ${only.type} fails, because it looks for this route in the main table`;
  const found = { message, hint: `Change the type to "${only.type}-wrapper"` };
  return routesElsewhere(only)
    .slice(0, 1)
    .map(({ path }) => ({ at: [...path, "table"], ...found }));
}

function foundIn(list: List, mover: ListedPlugin): FoundAt | undefined {
  const creator = movesRoutes(mover) ? creatorFor(list, mover) : undefined;
  if (!creator || !hasIpam(creator) || keepsAll(mover, creator)) return undefined;
  // One of several plain creators is another rule's.
  const plain = !mover.isWrapped ? mover : !creator.isWrapped && creatorsOf(list).length === 1 ? creator : undefined;
  if (!plain) return undefined;
  const message = `CHECK of ${creator.type} fails, because ${mover.type} moves the routes of ${creator.ifName}`;
  return { at: [...plain.path, "type"], message, hint: `Change the type to "${plain.type}-wrapper"` };
}

// With `table`, sbr leaves the routes where the IPAM plugin puts them.
function movesRoutes({ profile, delegate, configuration }: ListedPlugin): boolean {
  return profile?.movesRoutes === true && !(delegate === "sbr" && configuration.table !== undefined);
}

// With `addSourceHints`, the subnets have routes in the main table, too. CHECK looks for the other routes there.
function keepsAll({ delegate, configuration }: ListedPlugin, creator: ListedPlugin): boolean {
  if (delegate !== "sbr" || configuration.addSourceHints !== true) return false;
  const { ipam, isDefaultGateway } = creator.configuration;
  const isListed = /^(host-local|static)$/.test(ipamTypeOf(creator.configuration) ?? "");
  return isListed && isDefaultGateway !== true && objectsOf(objectOf(ipam).routes).length === 0;
}
