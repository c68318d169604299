import { isJsonObject } from "../../shared/protocol/json.ts";
import type { PluginRule } from "../lint/rule.ts";
import { hasCapability, isRewritten, type ListedPlugin } from "../lists/list.ts";

export const missingCapability: PluginRule = {
  severity: "warning",
  title: "portmap or bandwidth does nothing, because it does not ask for the runtime's data.",
  page: `A runtime hands published ports only to a plugin with \`"capabilities": { "portMappings": true }\`. Without it, portmap's
ADD passes and no port is published. bandwidth does nothing without rates of its own (\`ingressRate\`, \`egressRate\`) and
without \`"capabilities": { "bandwidth": true }\`.`,
  findInPlugin(plugin) {
    const { type, delegate, configuration } = plugin;
    const need = Object.hasOwn(needs, delegate) ? needs[delegate as keyof typeof needs] : undefined;
    if (!need || isRewritten(plugin) || need.isMet(plugin) || hasCapability(plugin, need.capability)) return undefined;
    const { capabilities } = configuration;
    // Other rules report a wrong value, and a misspelt name.
    const isEmpty = isJsonObject(capabilities) && !Object.values(capabilities).includes(true);
    if (capabilities !== undefined && !isEmpty) return undefined;
    const hint = `Add "capabilities": { "${need.capability}": true }`;
    return { at: [capabilities === undefined ? "type" : "capabilities"], message: `${type} ${need.message}`, hint };
  },
};

/** `isMet` tells whether the list has the data itself. */
const needs = {
  portmap: {
    capability: "portMappings",
    message: "gets no ports from the runtime, so it publishes none",
    isMet: ({ configuration: { runtimeConfig } }: ListedPlugin) =>
      isJsonObject(runtimeConfig) && runtimeConfig.portMappings !== undefined,
  },
  bandwidth: {
    capability: "bandwidth",
    message: "has no rates and gets none from the runtime, so it limits nothing",
    isMet: ({ configuration }: ListedPlugin) =>
      ["ingressRate", "egressRate", "runtimeConfig"].some((key) => configuration[key]),
  },
};
