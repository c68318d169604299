import { type Container, Lab, type Outcome } from "./lab.ts";

/** A call of a plugin without a runtime: changes to the variables and the stdin of libcni. */
export interface PluginCall {
  readonly plugin: string;
  /** stdin. An object is a plugin configuration and gets the plugin's type. */
  readonly config: Record<string, unknown> | string;
  readonly env?: Record<string, string>;
}

/** Calls a plugin for a container's eth0. The verb is ADD unless the variables name another. */
export function callPlugin(lab: Lab, container: Container, { plugin, config, env }: PluginCall): Promise<Outcome> {
  return lab.call(`${Lab.pluginPath}/${plugin}`, [], {
    env: {
      CNI_COMMAND: "ADD",
      CNI_CONTAINERID: container.name,
      CNI_NETNS: container.netns,
      CNI_IFNAME: "eth0",
      CNI_PATH: Lab.pluginPath,
      ...env,
    },
    input: typeof config === "string" ? config : JSON.stringify({ ...config, type: plugin }),
  });
}
