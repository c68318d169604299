import type { Reported } from "../../shared/plugin/reported.ts";

/** tuning returns prevResult. It changes the MAC in it (updateResultsMacAddr in plugins/meta/tuning/tuning.go). */
export const tuning: Reported = { setsMac: "mac" };
