import type { Reported } from "../../shared/plan/reported.ts";

/** vrf returns prevResult. */
export const vrf: Reported = {};
