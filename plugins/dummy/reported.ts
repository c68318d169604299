import type { Reported } from "../../shared/plugin/reported.ts";

/** dummy uses nothing of the host. */
export const dummy: Reported = {};
