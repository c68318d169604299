import { hostname } from "node:os";
import { type JsonObject, objectOf, objectsOf } from "../../shared/protocol/json.ts";
import { agentError, type NomadAgent } from "./nomad-agent.ts";

/** What the Nomad client of this host says of CNI. */
export interface NomadHost {
  /** The name of its node, as `nomad node status` has it. */
  readonly name: string;
  /** Its version; undefined if the agent does not say it. */
  readonly version?: string;
  /** Its cni_config_dir. */
  readonly configDirectory: string;
  /** Its cni_path. */
  readonly cniPath: string;
  /** The networks that it has loaded. A reload adds networks, and only a restart forgets one. */
  readonly networks: readonly string[];
}

/** Why the agent did not say it. */
export interface NoAnswer {
  readonly version?: undefined;
  readonly problem: string;
  /** Whether this host has no Nomad client, as far as one can see: there was nothing to ask. */
  readonly isAbsent: boolean;
}

/** Asks the local agent for its directories and networks. The agent that NOMAD_ADDR names may be another host's. */
export async function askNomadHost(agent: NomadAgent, host = hostname()): Promise<NomadHost | NoAnswer> {
  try {
    const { Client } = objectOf(objectOf(await agent.self()).config);
    // command/agent/config.go, ClientConfig: the defaults are in it, too.
    const { CNIPath, CNIConfigDir, Enabled } = objectOf(Client);
    if (Enabled === false) return { problem: "the agent is no Nomad client", isAbsent: true };
    const node = objectOf(await agent.ofNode());
    const { "unique.hostname": ownHost, "nomad.version": version } = objectOf(node.Attributes);
    if (ownHost !== host) return { problem: `the agent is that of another host, ${ownHost}`, isAbsent: false };
    if (typeof CNIPath !== "string" || typeof CNIConfigDir !== "string")
      return { problem: "the agent does not say its directories", isAbsent: false };
    const name = typeof node.Name === "string" ? node.Name : host;
    const own = { configDirectory: CNIConfigDir, cniPath: CNIPath, networks: networksOf(node) };
    return { name, ...(typeof version === "string" && { version }), ...own };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    // Without NOMAD_ADDR, nothing says that there should be an agent.
    const isAbsent = ["ECONNREFUSED", "ENETUNREACH"].includes(code) && !agent.env.NOMAD_ADDR;
    return { problem: agentError(error), isAbsent };
  }
}

// client/fingerprint/cni.go. NodeNetworks has only the last one (nomad/structs, NodeResources.Merge).
function networksOf({ NodeResources }: JsonObject): readonly string[] {
  const { Networks } = objectOf(NodeResources);
  const modes = objectsOf(Networks).map(({ Mode }) => String(Mode));
  return modes.filter((mode) => mode.startsWith("cni/")).map((mode) => mode.slice("cni/".length));
}
