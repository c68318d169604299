/**
 * All events that end otherwise with the real plugins than in the model, and why that stays. The command fails for one
 * that is not here, and for one that is here and no longer differs.
 */
export const differences = [
  {
    list: "unknown-version/err-of-the-plugins.conflist",
    event: "stop",
    reason: "go-cni sends STATUS before DEL, and libcni has none for a version that no plugin speaks",
  },
];

/** Returns why an event of a list differs; undefined if it must not. */
export function reasonOf({ list, event }: { readonly list: string; readonly event: string }): string | undefined {
  return differences.find((one) => one.list === list && one.event === event)?.reason;
}
