import type { Reported } from "../../shared/plan/reported.ts";

/** sbr returns prevResult. */
export const sbr: Reported = {};
