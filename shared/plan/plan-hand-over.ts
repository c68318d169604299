import type { DelegateCall } from "./call.ts";
import type { Effect, HandOver } from "./plan.ts";

/** Plans a hand-over, with the effects before and after `wrapper.jq`. */
export function planHandOver(call: DelegateCall, { before = [], after = [] }: Surrounding = {}): HandOver {
  const effects: Effect[] = [...before, ...(call.filter ? [{ do: "applyFilter" } as const] : []), ...after];
  return { do: "handOver", call, withoutDelegate: "delegateNotFound", effects };
}

interface Surrounding {
  readonly before?: readonly Effect[];
  readonly after?: readonly Effect[];
}

/** Returns the effect that logs a fault. */
export function warning(message: string): Effect {
  return { do: "warn", message };
}
