import { goLookup, isJsonObject, type JsonObject } from "../protocol/json.ts";
import { type PortsOption, portRange } from "../protocol/options.ts";

/**
 * Returns the configuration with only the port mappings (`runtimeConfig.portMappings`) that `wrapper.ports` selects by
 * container port.
 */
export function withOwnPorts(configuration: JsonObject, ports: PortsOption): JsonObject {
  const { runtimeConfig } = configuration;
  if (!isJsonObject(runtimeConfig) || !Array.isArray(runtimeConfig.portMappings)) return configuration;
  const portMappings = runtimeConfig.portMappings.filter((mapping) => isOwn(mapping, ports));
  return { ...configuration, runtimeConfig: { ...runtimeConfig, portMappings } };
}

// Runtimes write `containerPort` or `ContainerPort`: Go accepts both.
function isOwn(mapping: unknown, { only, except }: PortsOption): boolean {
  const port = isJsonObject(mapping) ? goLookup(mapping, "containerPort") : undefined;
  const isListed = (only ?? except ?? []).some((entry) => {
    const [first, last] = portRange(entry) ?? [1, 0];
    return typeof port === "number" && first <= port && port <= last;
  });
  return only === undefined ? !isListed : isListed;
}
