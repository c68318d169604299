import { isPorts } from "../../shared/protocol/options.ts";
import type { PluginRule } from "../lint/rule.ts";
import { firstPortOf, hasCapability, type ListedPlugin } from "../lists/list.ts";

export const uselessPorts: PluginRule = {
  severity: "warning",
  title: "wrapper.ports leaves no port, or has none to choose from.",
  page: `\`ports\` selects from the port mappings that the runtime hands to the plugin. An empty \`only\`, or an \`except\` with all
ports, leaves nothing to publish. A plugin without \`"capabilities": { "portMappings": true }\` gets no port mappings, so
there is nothing to select.`,
  findInPlugin(plugin) {
    const problem = plugin.isWrapped && plugin.wrapper.ports !== undefined ? problemOf(plugin) : undefined;
    return problem && { at: ["wrapper", "ports"], isKey: true, message: problem[0], hint: problem[1] };
  },
};

function problemOf(plugin: ListedPlugin): readonly [message: string, hint: string] | undefined {
  if (isPorts(plugin.wrapper.ports) && firstPortOf([plugin]) === undefined)
    return [`${plugin.type} publishes no port at all`, "Name a port, or remove the plugin"];
  // For portmap itself, another rule says so.
  if (plugin.delegate === "portmap" || hasCapability(plugin, "portMappings")) return undefined;
  return [`${plugin.type} gets no port mappings, so there is nothing to select`, "Leave ports out"];
}
