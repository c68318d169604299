import type { Reported } from "../../shared/plugin/reported.ts";

/** firewall returns prevResult. */
export const firewall: Reported = {};
