import type { Reported } from "../../shared/plan/reported.ts";

/** firewall returns prevResult. */
export const firewall: Reported = {};
