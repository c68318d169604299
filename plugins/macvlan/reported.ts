import type { Reported } from "../../shared/plugin/reported.ts";

/** macvlan uses `master`, else the interface of the default route. */
export const macvlan: Reported = { uses: { key: "master", fallback: "default route" } };
