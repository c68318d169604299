import { objectOf, objectsOf } from "../../shared/protocol/json.ts";
import type { FoundAt, ListRule } from "../lint/rule.ts";
import { creatorFor, creatorsOf, runsCheck } from "../lists/chain.ts";
import { hasIpam, ipamTypeOf } from "../lists/ipam.ts";
import type { List, ListedPlugin } from "../lists/list.ts";

export const movedRoutes: ListRule = {
  title: "sbr or vrf moves the routes of a plugin, and one of the two is not wrapped.",
  page: `sbr and vrf move an interface's routes to another table. The CHECK of the interface's plugin looks for them in the main
table, and fails (\`Failed to find Gateway\`,
[containernetworking/plugins#297](https://github.com/containernetworking/plugins/issues/297)). The wrappers look where the
routes are: see [sbr](../plugins/sbr/README.md#notes-and-upstream-bugs). Wrap both plugins.`,
  findInList(list) {
    return runsCheck(list) ? list.plugins.flatMap((plugin) => foundIn(list, plugin) ?? []) : [];
  },
};

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
