import type { Reported } from "../../shared/plugin/reported.ts";

/** tap uses nothing of the host, except a bridge if the list names one. */
export const tap: Reported = {};
