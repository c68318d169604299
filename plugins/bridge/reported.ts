import type { Reported } from "../../shared/plugin/reported.ts";

/** bridge lists the bridge and the host end of the veth pair (cmdAdd in plugins/main/bridge/bridge.go). */
export const bridge: Reported = {
  hostSide: [{ key: "bridge", fallback: "cni0" }, { prefix: "veth" }],
  defaultRoute: "isDefaultGateway",
};
