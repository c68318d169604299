import type { Reported } from "../../shared/plugin/reported.ts";

/** bandwidth lists the ifb device that limits the traffic out of the container (cmdAdd in plugins/meta/bandwidth/main.go). */
export const bandwidth: Reported = { adds: { device: { prefix: "bwp" }, key: "egressRate" } };
