import { delimiter } from "node:path";
import { journalProblem } from "../host/journal-place.ts";
import { oneLine } from "../terminal.ts";
import type { HostPaths, HostPathsFound } from "./host-paths.ts";
import type { Networks } from "./networks.ts";
import type { NomadHost } from "./nomad-host.ts";

/** Where a command looks, and what a verdict about the runtime's restart is about. */
export type LookedAt = Readonly<ReturnType<typeof lookedAt>>;

/** Who named a directory: an option, the agent, or nobody. */
type Origin = "option" | "agent" | "usual";

/** Compares where a command looks, and the networks that it finds there, with what the agent says. */
export function lookedAt(paths: HostPathsFound, networks: Networks = new Map()) {
  const { configDirectories, cniPath, cacheDirectory, given, nomad } = paths;
  const other: Origin = "problem" in nomad ? "usual" : "agent";
  const from: Readonly<Record<"lists" | "plugins", Origin>> = {
    lists: given.lists ? "option" : other,
    plugins: given.plugins ? "option" : other,
  };
  return {
    directories: { lists: configDirectories, plugins: cniPath, results: cacheDirectory, from },
    /** Null if the wrappers can write journals. */
    journalProblem: journalProblem() ?? null,
    agent: {
      /** Why the agent does not say its directories; null if it does. */
      problem: "problem" in nomad ? nomad.problem : null,
      ...("problem" in nomad ? { differs: [], notLoaded: [] } : differencesFrom(nomad, paths, networks)),
    },
  };
}

/** Whether the lists are in the Nomad agent's directory, so that Nomad reads them. */
export function areNomads({ configDirectories, nomad }: Pick<HostPathsFound, "configDirectories" | "nomad">): boolean {
  return !("problem" in nomad) && configDirectories.join() === nomad.configDirectory;
}

/** The directories that the agent does not use, and the networks of its directory that it has not loaded. */
function differencesFrom(nomad: NomadHost, { configDirectories, cniPath }: HostPaths, networks: Networks) {
  const agents = nomad.cniPath.split(delimiter).filter(Boolean).join(delimiter);
  const isOwn = areNomads({ configDirectories, nomad });
  return {
    differs: [
      ...(isOwn ? [] : [`the Nomad agent has cni_config_dir ${nomad.configDirectory}`]),
      ...(cniPath.join(delimiter) === agents ? [] : [`the Nomad agent has cni_path ${agents}`]),
    ],
    // guard: no network is missed that another directory's agent need not have
    notLoaded: isOwn ? [...networks.keys()].filter((name) => !nomad.networks.includes(name)) : [],
  };
}

/** Where a command looks, for people: the directories in a line, and a line for each that the agent has otherwise. */
function placesLines({ directories, agent }: LookedAt): readonly string[] {
  const { lists, plugins, results, from } = directories;
  const words: Readonly<Record<Origin, string>> = { option: "", agent: " (Nomad's)", usual: " (usual)" };
  const where = `${lists.join(" and ") || "no directory"}${words[from.lists]}`;
  return [
    `looked at: lists in ${where}, plugins in ${plugins.join(delimiter)}${words[from.plugins]}, results in ${results}`,
    ...agent.differs.map((line) => `but ${line}`),
  ].map(oneLine);
}

/** Where a command looks, for people. */
export function placesText(paths: HostPathsFound): string {
  return placesLines(lookedAt(paths)).join("\n");
}

/** Where a command looked, with a line for each thing that makes the next restart or ADD fail. */
export function lookedAtLines(looked: LookedAt): readonly string[] {
  const { journalProblem: problem, agent } = looked;
  return [
    ...placesLines(looked),
    ...agent.notLoaded.map((name) => `the Nomad client has not loaded the network ${name}: reload it with SIGHUP`),
    ...(problem === null ? [] : [`the wrappers cannot write journals, and ADD fails: ${problem}`]),
  ].map(oneLine);
}

/** Whether the agent has loaded all networks, and the wrappers can work. */
export function isReady({ journalProblem: problem, agent }: LookedAt): boolean {
  // guard: a host is not ready where ADD fails
  return problem === null && agent.notLoaded.length === 0;
}

/** Says that an agent is there which does not tell where it looks; undefined if options name the directories, or nobody is there. */
export function agentFault(
  { agent: { env }, nomad, given }: HostPathsFound,
  options = "--config-dir and --cni-path",
): string | undefined {
  // guard: an agent that does not say where it looks is no agent that is not there
  if (!("problem" in nomad) || nomad.isAbsent || (given.lists && given.plugins)) return undefined;
  const address = env.NOMAD_ADDR || "the Nomad agent";
  return oneLine(
    `${address}: ${nomad.problem}; it may look elsewhere. Name this host's agent with NOMAD_ADDR and NOMAD_TOKEN, or the directories with ${options}`,
  );
}
