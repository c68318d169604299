import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import { portRange } from "../../shared/protocol/options.ts";
import { type List, runtimeIfName } from "../lists/list.ts";
import type { Attachment } from "../live/libcni.ts";
import { Trouble } from "../trouble.ts";

/** Returns an attachment of an invented container, with the ports that a person named, or with invented ones. */
export function exampleAttachment(
  list: List,
  { ports = [], args = "" }: { ports?: readonly string[]; args?: string },
): Attachment {
  const mappings = ports.length > 0 ? ports.map(portMapping) : inventedPorts(list);
  return {
    containerId: "example",
    netns: "/run/netns/example",
    ifName: runtimeIfName,
    args,
    pluginPath: list.isDropIn ? "/opt/cni/first:/opt/cni/bin" : "/opt/cni/bin",
    capabilityArgs: mappings.length > 0 ? { portMappings: mappings } : {},
  };
}

/** Parses a port mapping such as `8080:80` or `8080:80/udp`. Throws Trouble if it is none. */
function portMapping(text: string): JsonObject {
  const [, host, container, protocol = "tcp"] = /^(\d{1,5}):(\d{1,5})(?:\/(tcp|udp|sctp))?$/.exec(text) ?? [];
  if (host === undefined) throw new Trouble(`--port ${text}: write it like 8080:80 or 8080:80/udp`);
  const [hostPort, containerPort] = [Number(host), Number(container)];
  if (![hostPort, containerPort].every(isPort)) throw new Trouble(`--port ${text}: a port is from 1 to 65535`);
  return { hostPort, containerPort, protocol };
}

function isPort(port: number): boolean {
  return port >= 1 && port <= 65_535;
}

// Port 80, and one port for each plugin that asks for some of its own.
function inventedPorts({ plugins }: List): JsonObject[] {
  const isCapable = ({ configuration }: List["plugins"][number]): boolean =>
    isJsonObject(configuration.capabilities) && configuration.capabilities.portMappings === true;
  const capable = plugins.filter(isCapable);
  if (capable.length === 0) return [];
  const own = capable.flatMap(({ wrapper }) => {
    const only = isJsonObject(wrapper.ports) ? wrapper.ports.only : undefined;
    return Array.isArray(only) ? (portRange(only[0])?.[0] ?? []) : [];
  });
  return [...new Set([80, ...own])].map((port) => portMapping(`${20_000 + (port % 10_000)}:${port}`));
}
