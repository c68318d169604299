import type { Reported } from "../../shared/plan/reported.ts";

/** portmap returns prevResult. */
export const portmap: Reported = { publishes: true };
