import { hostname } from "node:os";
import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import { agentError, getJson, type NomadEnvironment, nodeIdOf, objectOf } from "./nomad-agent.ts";

/** What the Nomad client of this host says of CNI. */
export interface NomadHost {
  /** Its cni_config_dir. */
  readonly configDirectory: string;
  /** Its cni_path. */
  readonly cniPath: string;
  /** The networks that it has loaded. A reload adds networks, and only a restart forgets one. */
  readonly networks: readonly string[];
}

/**
 * Asks the local agent for its directories and networks; a text says why there is no answer. The agent that NOMAD_ADDR names may
 * be another host's.
 */
export async function askNomadHost(env: NomadEnvironment, host = hostname()): Promise<NomadHost | string> {
  try {
    const self = await getJson(env, "/v1/agent/self");
    // command/agent/config.go, ClientConfig: the defaults are in it, too.
    const { CNIPath, CNIConfigDir } = objectOf(objectOf(objectOf(self).config).Client);
    const node = objectOf(await getJson(env, `/v1/node/${nodeIdOf(self)}`));
    const name = objectOf(node.Attributes)["unique.hostname"];
    if (name !== host) return `the agent is that of another host, ${name}`;
    if (typeof CNIPath !== "string" || typeof CNIConfigDir !== "string")
      return "the agent does not say its directories";
    return { configDirectory: CNIConfigDir, cniPath: CNIPath, networks: networksOf(node) };
  } catch (error) {
    return agentError(error);
  }
}

// client/fingerprint/cni.go. NodeNetworks has only the last one (nomad/structs, NodeResources.Merge).
function networksOf({ NodeResources }: JsonObject): readonly string[] {
  const { Networks } = objectOf(NodeResources);
  const modes = (Array.isArray(Networks) ? Networks : []).filter(isJsonObject).map(({ Mode }) => String(Mode));
  return modes.filter((mode) => mode.startsWith("cni/")).map((mode) => mode.slice("cni/".length));
}
