import { delimiter } from "node:path";
import { journalProblem } from "../host/journal-place.ts";
import { oneLine } from "../terminal.ts";
import type { HostPathsFound } from "./host-paths.ts";
import type { Lists } from "./networks.ts";

/** What a verdict is about, and what the local Nomad agent has otherwise. */
export interface LookedAt {
  readonly directories: {
    readonly lists: readonly string[];
    readonly plugins: readonly string[];
    readonly results: string;
    /** Who named the directories: an option, the agent, or nobody. */
    readonly from: { readonly lists: Origin; readonly plugins: Origin };
  };
  /** Why the wrappers cannot write journals; null if they can. */
  readonly journalProblem: string | null;
  readonly agent: {
    /** Why the agent does not say its directories; null if it does. */
    readonly problem: string | null;
    /** Directories that the agent does not use. */
    readonly differs: readonly string[];
    /** Networks of its directory that the agent has not loaded. */
    readonly notLoaded: readonly string[];
  };
}

type Origin = "option" | "agent" | "usual";

/** Compares what a command looks at with what the agent says. */
export function lookedAt(paths: HostPathsFound, { networks }: Pick<Lists, "networks">): LookedAt {
  const { configDirectories, cniPath, cacheDirectory, given, agent } = paths;
  const other: Origin = typeof agent === "string" ? "usual" : "agent";
  const from = { lists: given.lists ? "option" : other, plugins: given.plugins ? "option" : other } as const;
  const directories = { lists: configDirectories, plugins: cniPath, results: cacheDirectory, from };
  const common = { directories, journalProblem: journalProblem() ?? null };
  if (typeof agent === "string") return { ...common, agent: { problem: agent, differs: [], notLoaded: [] } };
  const isOwn = configDirectories.join() === agent.configDirectory;
  const [used, agents] = [cniPath, agent.cniPath.split(delimiter).filter(Boolean)].map((one) => one.join(delimiter));
  const differs = [
    ...(isOwn ? [] : [`the Nomad agent has cni_config_dir ${agent.configDirectory}`]),
    ...(used === agents ? [] : [`the Nomad agent has cni_path ${agents}`]),
  ];
  const notLoaded = isOwn ? [...networks.keys()].filter((name) => !agent.networks.includes(name)) : [];
  return { ...common, agent: { problem: null, differs, notLoaded } };
}

/** The same for people: the directories in a line, and a line for each thing that the agent has otherwise. */
export function lookedAtLines({ directories, journalProblem: problem, agent }: LookedAt): readonly string[] {
  const { lists, plugins, results, from } = directories;
  const words: Readonly<Record<Origin, string>> = { option: "", agent: " (Nomad's)", usual: " (usual)" };
  const where = `${lists.join(" and ") || "no directory"}${words[from.lists]}`;
  return [
    `looked at: lists in ${where}, plugins in ${plugins.join(delimiter)}${words[from.plugins]}, results in ${results}`,
    ...agent.differs.map((line) => `but ${line}`),
    ...agent.notLoaded.map((name) => `the Nomad client has not loaded the network ${name}: reload it with SIGHUP`),
    ...(problem === null ? [] : [`the wrappers cannot write journals, and ADD fails: ${problem}`]),
  ].map(oneLine);
}

/** Whether the agent has loaded all networks, and the wrappers can work. */
export function isReady({ journalProblem: problem, agent }: LookedAt): boolean {
  return problem === null && agent.notLoaded.length === 0;
}
