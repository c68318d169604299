import { delimiter } from "node:path";
import { cachedResultFile } from "../../shared/journal/host-files.ts";
import { type Entry, isSameNamespace, isStanding } from "../../shared/journal/journal.ts";
import { journalProblem } from "../host/journal-place.ts";
import { entriesIn, keyOf, Memory, type MemoryFile, stateDirectory } from "../host/memory.ts";
import { isDisabled } from "../lists/list.ts";
import { homesAmong } from "../prune/host-namespaces.ts";
import { oneLine, type Terminal } from "../terminal.ts";
import { LeftOut } from "./alike.ts";
import { withBar } from "./at-once.ts";
import { type CachedAttachment, demandKnown, isWanted, namesIn, readAttachments } from "./cached-results.ts";
import { type CheckOptions, type CheckRequest, checkOnHost, checkOptionsOn, inPlace, type Verdict } from "./check.ts";
import { type HostPaths, type HostPathsFound, hostPathsOn } from "./host-paths.ts";
import { noteLost } from "./lost-results.ts";
import { namedNamespaces, namespacePath } from "./namespaces.ts";
import { addedPlugins, type Lists, type Network, type Networks } from "./networks.ts";
import type { NomadHost } from "./nomad-agent.ts";

/** What a command looks at on a host. */
export type HostView = Readonly<Awaited<ReturnType<typeof viewOf>>>;

/** Opens what the options of a command are about. Throws Trouble if a directory of lists cannot be read. */
export async function viewOf(options: CheckRequest, terminal: Pick<Terminal, "env" | "viewProblem" | "directory">) {
  const paths = await hostPathsOn(options, terminal);
  const check = checkOptionsOn(paths, options, terminal.directory);
  const leftOut = new LeftOut();
  const fault = agentFault(paths);
  if (fault !== undefined) leftOut.note(fault);
  for (const { line } of check.faults) leftOut.note(line);
  const added = areNomads(paths) ? [] : addedPlugins(check.networks.values(), terminal.directory);
  for (const line of added) leftOut.note(line);
  return { paths, check, leftOut };
}

/**
 * Returns the attachments of a host, also those whose results are lost, what the wrappers have written, and how to check them.
 * Throws Trouble if the results cannot be listed, or if an option names what nothing has.
 */
export function everyAttachment(view: HostView) {
  const { paths, check, leftOut } = view;
  const found = attachmentsNow(view);
  demandKnown(paths, found.all, check.networks.keys());
  for (const line of uselessWith(check, found.wanted)) leftOut.note(line);
  return { ...found, check: { ...check, homeOf: homesAmong(found) } };
}

function attachmentsNow({ paths, leftOut }: HostView) {
  const { wanted, all } = readAttachments(paths, leftOut.note);
  const memories = new Memory().files((file, reason) =>
    leftOut.note(`${file}: ${reason}; its DEL acts as without a journal`),
  );
  // The results of another directory are another runtime's.
  const isUsual = paths.cacheDirectory === stateDirectory;
  const strays = isUsual ? straysAmong(all, [], memories).memories : [];
  const lost = withLostResult(entriesIn(strays.flatMap(({ journal }) => journal ?? [])));
  return { wanted: [...wanted, ...lost.filter((one) => isWanted(paths, one))], all: [...all, ...lost], memories };
}

/**
 * Checks every wanted attachment, and finds what belongs to none. Containers come and go: what is wrong counts only if it is still
 * the same a second later, because an ADD or a DEL may have been running.
 */
export async function checkEvery(
  view: HostView,
  { wanted, all, memories, check }: ReturnType<typeof everyAttachment>,
  terminal: Pick<Terminal, "progress" | "wait">,
) {
  const checked = await withBar(wanted, terminal, async (attachment) => {
    return { attachment, verdict: await checkOnHost(attachment, check) };
  });
  const strays = straysAmong(all, namedNamespaces(), memories);
  const isBad = ({ verdict }: { verdict: Verdict }) => verdict.is === "fails" || verdict.is === "gone";
  if (!checked.some(isBad) && strays.namespaces.length + strays.memories.length === 0) return { checked, strays };
  await terminal.wait(1000);
  const now = attachmentsNow(view);
  const later = straysAmong(now.all, namedNamespaces(), now.memories);
  const texts = new Map([...now.all, ...later.memories].map(({ file, text }) => [file, text]));
  const isSame = ({ file, text }: { file: string; text: string }) => texts.get(file) === text;
  const stray = strays.namespaces.filter((path) => later.namespaces.includes(path));
  if (stray.length > 0) await noteLost(view, checkedNetworks(check), terminal);
  return {
    // guard: a container that begins or ends at this moment does not fail
    checked: checked.filter(({ attachment }) => isSame(attachment)),
    strays: {
      namespaces: stray,
      // guard: the journal of a container that begins at this moment is no stray
      memories: strays.memories.filter(isSame),
    },
  };
}

/** The networks whose containers the next restart may kill if their results are lost: nobody can tell what it does to them. */
export function checkedNetworks({ networks }: Lists): readonly Network[] {
  // The runtime checks no other list. A plain one may be left from a runtime that has its own addresses now, as podman with netavark.
  return [...networks.values()].filter(({ value, list }) => {
    return !isDisabled(value.disableCheck) && list.plugins.some((one) => one.isWrapped);
  });
}

/**
 * Says, in a line, that nothing is checked with the list of `--with`: neither an attachment nor a list in place has its name, which
 * may be misspelled. The other networks are still checked, because `preflight --summary` counts the host.
 */
function uselessWith(check: CheckOptions, wanted: readonly CachedAttachment[]): string[] {
  const { with: instead } = check;
  // guard: nothing is called good that --with does not reach
  if (instead === undefined || wanted.some(({ network }) => network === instead.name)) return [];
  // guard: a list of --with without a container is no typing error
  if (inPlace(check).networks.has(instead.name)) return [];
  const there = namesIn(wanted.map((one) => one.network));
  const { path } = instead.list.file;
  return [`--with ${path}: no attachment has its network ${instead.name}, so nothing is checked with it; ${there}`];
}

/**
 * Returns the live attachments that have entries, and no result in libcni's cache. The runtime runs their CHECK without one. An
 * entry that is not done belongs to an ADD that still runs.
 */
export function withLostResult(
  entries: readonly Entry[],
  namespaceAt: (path: string) => Entry["namespace"] | undefined = (path) => new Memory().namespace(path),
): readonly CachedAttachment[] {
  const live = entries.filter((entry) => {
    // guard: a container that is gone, or is just being attached, has lost no result
    return entry.done && isStanding(entry) && isSameNamespace(entry.namespace, namespaceAt(entry.namespace.path));
  });
  const byFile = new Map(live.map((entry) => [cachedResultFile(entry), entry]));
  return [...byFile].map(([file, { network, containerId, runtimeIfName, namespace }]) => {
    const unknown = { text: "", list: undefined, args: [], capabilityArgs: {}, result: undefined };
    return { file, network, containerId, runtimeIfName, netns: namespace.path, ...unknown };
  });
}

/** Finds the namespaces and the wrappers' files that no attachment needs: journals, and records of 0.2.0. */
export function straysAmong(
  attachments: readonly CachedAttachment[],
  namespaces: readonly string[],
  memories: readonly MemoryFile[],
) {
  const paths = new Set(attachments.map(({ netns }) => namespacePath(netns)));
  const owners = new Set(attachments.map(keyOf));
  return {
    // guard: a namespace that an attachment has is no stray
    namespaces: namespaces.filter((path) => !paths.has(namespacePath(path))),
    // guard: a journal that an attachment needs is no stray
    memories: memories.filter((one) => !owners.has(keyOf(one))),
  };
}

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
function areNomads({ configDirectories, nomad }: Pick<HostPathsFound, "configDirectories" | "nomad">): boolean {
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
