import type { Reported } from "../../shared/plugin/reported.ts";

/** portmap returns prevResult. */
export const portmap: Reported = { publishes: true };
