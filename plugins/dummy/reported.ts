import type { Reported } from "../../shared/plan/reported.ts";

/** dummy uses nothing of the host. */
export const dummy: Reported = {};
