import type { Reported } from "../../shared/plugin/reported.ts";

/** ipvlan uses `master`, else the interface of the default route. */
export const ipvlan: Reported = { uses: { key: "master", fallback: "default route" } };
