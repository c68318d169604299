import type { Reported } from "../../shared/plugin/reported.ts";

/** vlan uses `master`. */
export const vlan: Reported = { uses: { key: "master", fallback: "a host interface" } };
