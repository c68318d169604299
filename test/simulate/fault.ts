import type { Random } from "./random.ts";
import type { Between } from "./wrapper.ts";

const kinds = ["kill", "kill", "kill", "plugin", "error", "power", "other container", "namespace", "gc"] as const;

/** The end of the wrapper or of its plugin, an error of the plugin, the end of the host's power; a call for another container; the end of the namespace; a GC. */
export type FaultKind = (typeof kinds)[number];

/** Something that happens once, between two answers of the host. */
export interface Fault {
  readonly between: Between;
  readonly came: () => boolean;
}

/** Nothing happens. */
export const none: Fault = { between: () => {}, came: () => false };

/** Returns a fault of a kind, and at a point, that the random numbers choose. */
export function faultBy(random: Random, happen: (where: string, kind: FaultKind) => void): Fault {
  let left = random.below(60);
  const kind = random.of(kinds);
  const isOfPlugin = kind === "plugin" || kind === "error";
  let came = false;
  const between = (where: string) => {
    // A plugin must run.
    if (came || left-- > 0 || (isOfPlugin && !where.startsWith("plugin,"))) return;
    came = true;
    happen(where, kind);
  };
  return { between, came: () => came };
}
