import type { Reported } from "../../shared/plugin/reported.ts";

/** vrf returns prevResult. */
export const vrf: Reported = {};
