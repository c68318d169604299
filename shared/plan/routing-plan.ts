import type { Request } from "../protocol/request.ts";
import type { RoutingPlan } from "../record/record.ts";
import { recordKey } from "./record-key.ts";
import type { Target } from "./target.ts";

/**
 * Returns the routing plan of a CHECK. A creator looks for its routes where it put them, but another plugin may have moved
 * them. A meta plugin looks only for routes that it moved itself.
 */
export function routingOf(request: Request, target: Target): { routing?: RoutingPlan } {
  if (target.role === "meta" || !request.configuration.prevResult) return movedBy(request, target);
  return { routing: { key: recordKey(request, target), netns: target.selector.netns, of: "creator" } };
}

/** Returns the routing plan of a plugin that moves routes: it records where they are. Empty for other plugins. */
export function movedBy(request: Request, target: Target): { routing?: RoutingPlan } {
  if (!target.profile?.movesRoutes) return {};
  return { routing: { key: recordKey(request, target), netns: target.selector.netns, of: "mover" } };
}
