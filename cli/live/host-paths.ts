import { existsSync } from "node:fs";
import { delimiter } from "node:path";
import { type Terminal, Trouble } from "../terminal.ts";
import { askNomadHost, NomadAgent } from "./nomad-agent.ts";

/** The directories of a host, and the attachments that a command is about. */
export interface HostPaths {
  readonly configDirectories: readonly string[];
  /** The directories of the plugins, in the order of CNI_PATH. */
  readonly cniPath: readonly string[];
  readonly cacheDirectory: string;
  /** Only the attachments of this network. */
  readonly network?: string;
  /** Only the attachments of this container. */
  readonly containerId?: string;
}

/** The directories of the lists, if nobody names others. */
export const usualLists = ["/opt/cni/config", "/etc/cni/net.d"];
/** The default of Nomad 1.11 (client/config/config_linux.go). Earlier versions have only the first directory. */
export const usualCniPath = "/opt/cni/bin:/usr/libexec/cni";

/** Returns the directories of the lists that this host has, if no option names others. */
export function usualConfigDirectories(): readonly string[] {
  return usualLists.filter((directory) => existsSync(directory));
}

/** The values of `hostOptions`. */
export interface HostOptions {
  readonly configDir?: readonly string[];
  readonly cniPath?: string;
  readonly cacheDir: string;
  readonly network?: string;
  readonly container?: string;
}

/** The directories of a host, and where they are from: the local Nomad agent and what it says, or an option. */
export type HostPathsFound = Readonly<Awaited<ReturnType<typeof hostPathsOn>>>;

/**
 * Returns the host's directories from a command's options; what they do not name, from the local Nomad agent. Throws Trouble where
 * nobody can tell which containers live.
 */
export async function hostPathsOn(options: HostOptions, terminal: Pick<Terminal, "env" | "viewProblem">) {
  demandView(options.cacheDir, terminal);
  const agent = new NomadAgent(terminal.env);
  const nomad = await askNomadHost(agent);
  const { configDir, cniPath } = options;
  const found = "problem" in nomad ? {} : { configDir: [nomad.configDirectory], cniPath: nomad.cniPath };
  const given = { lists: configDir !== undefined, plugins: cniPath !== undefined };
  return { ...hostPathsOf({ ...found, ...options }), agent, nomad, given };
}

/** Throws Trouble where nobody can tell which containers live. */
export function demandView(cacheDirectory: string, { viewProblem }: Pick<Terminal, "viewProblem">): void {
  const problem = viewProblem(cacheDirectory);
  if (problem !== undefined) throw new Trouble(problem);
}

/** Returns the host's directories from a command's options, or the usual ones. */
export function hostPathsOf({ configDir, cniPath, cacheDir, network, container }: HostOptions): HostPaths {
  return {
    configDirectories: configDir ?? usualConfigDirectories(),
    cniPath: (cniPath ?? usualCniPath).split(delimiter).filter(Boolean),
    cacheDirectory: cacheDir,
    ...(network !== undefined && { network }),
    ...(container !== undefined && { containerId: container }),
  };
}
