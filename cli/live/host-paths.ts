import { existsSync } from "node:fs";
import { delimiter } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Terminal } from "../terminal.ts";
import { Trouble } from "../trouble.ts";
import { askNomadHost, type NomadHost } from "./nomad-host.ts";

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

const usualLists = ["/opt/cni/config", "/etc/cni/net.d"];
// The default of Nomad 1.11 (client/config/config_linux.go). Earlier versions have only the first directory.
const usualCniPath = "/opt/cni/bin:/usr/libexec/cni";
/**
 * Where libcni keeps its cache if a runtime says nothing else. A host that never had a container has none. Another directory
 * was named by somebody, who must know.
 */
export const usualCacheDirectory = "/var/lib/cni";

/** Adds the options that name the directories of a host. */
export function addHostOptions(command: Command): Command {
  return command
    .option(
      "--config-dir <dir...>",
      `directories of the lists (default: that of the Nomad agent, or ${usualLists.join(" and ")})`,
    )
    .option(
      "--cni-path <dirs>",
      `directories of the plugins, separated by colons (default: those of the Nomad agent, or ${usualCniPath})`,
    )
    .option("--cache-dir <dir>", "libcni's cache, which has the results", usualCacheDirectory)
    .option("--network <name>", "only this network", notEmpty)
    .option("--container <id>", "only this container; the first characters are enough", notEmpty);
}

// The variable of a script can be empty. That would select all.
function notEmpty(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("It is empty. To select all, leave the option out.");
}

/** Returns the directories of the lists that this host has, if no option names others. */
export function usualConfigDirectories(): readonly string[] {
  return usualLists.filter((directory) => existsSync(directory));
}

/** The values of the options of `addHostOptions`. */
export interface HostOptions {
  readonly configDir?: readonly string[];
  readonly cniPath?: string;
  readonly cacheDir: string;
  readonly network?: string;
  readonly container?: string;
}

/** The directories of a host, and where they are from. */
export interface HostPathsFound extends HostPaths {
  /** What the local Nomad agent says; a text says why it does not. */
  readonly agent: NomadHost | string;
  /** Whether an option names the lists' directories, or the plugins'. */
  readonly given: { readonly lists: boolean; readonly plugins: boolean };
}

/**
 * Returns the host's directories from a command's options; what they do not name, from the local Nomad agent. Throws Trouble where
 * nobody can tell which containers live.
 */
export async function hostPathsOn(
  options: HostOptions,
  { env, viewProblem }: Pick<Terminal, "env" | "viewProblem">,
): Promise<HostPathsFound> {
  const problem = viewProblem();
  if (problem !== undefined) throw new Trouble(problem);
  const agent = await askNomadHost(env);
  const { configDir, cniPath } = options;
  const found = typeof agent === "string" ? {} : { configDir: [agent.configDirectory], cniPath: agent.cniPath };
  const given = { lists: configDir !== undefined, plugins: cniPath !== undefined };
  return { ...hostPathsOf({ ...found, ...options }), agent, given };
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

/** The option that limits how long a plugin may take, in seconds. */
export function timeoutOption(): Option {
  return new Option("--timeout <seconds>", "how long a plugin may take").default("60").argParser(checked);
}

// A timer takes a value that is no number, or beyond its range, for a millisecond: every plugin would fail.
function checked(text: string): string {
  const seconds = Number(text);
  if (seconds >= 0.1 && seconds <= 86_400) return text;
  throw new InvalidArgumentError("Write seconds, from 0.1 to 86400.");
}
