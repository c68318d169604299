import type { Reported } from "../../shared/plugin/reported.ts";

/** sbr returns prevResult. */
export const sbr: Reported = {};
