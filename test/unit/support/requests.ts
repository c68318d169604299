import type { JsonObject } from "../../../shared/protocol/json.ts";
import { type ConfiguredVerb, parseRequest, type Request, type Variables } from "../../../shared/protocol/request.ts";
import { frozen } from "./frozen.ts";

/** The network namespaces of two containers. */
export const blue = "/run/netns/blue";
export const red = "/run/netns/red";

/** A frozen call for the interface eth0 of the container blue in the network zone. The test chooses the rest. */
export function requestOf(
  command: ConfiguredVerb,
  configuration: JsonObject = {},
  variables: Partial<Variables> = {},
): Request {
  const given: Variables = {
    command,
    containerId: "blue",
    netns: blue,
    ifName: "eth0",
    args: "",
    path: "/opt/cni/bin",
    ...variables,
  };
  const decoded = JSON.parse(JSON.stringify({ cniVersion: "1.0.0", name: "zone", ...configuration }));
  return frozen(parseRequest(command, given, decoded));
}
