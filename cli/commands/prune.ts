import { statSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import type { CommandMaker } from "../command.ts";
import { canAsk, confirmed } from "../confirm.ts";
import { exitCodeOf } from "../exit-codes.ts";
import {
  addHostOptions,
  type HostOptions,
  type HostPaths,
  hostPathsOn,
  timeoutOption,
  usualCacheDirectory,
} from "../live/host-paths.ts";
import { readLists } from "../live/networks.ts";
import { demandNetwork, isWanted } from "../live/wanted.ts";
import { type WorkloadNames, workloadNames } from "../live/workload.ts";
import { type Finding, findingsIn, type Survey } from "../prune/findings.ts";
import { pathStateOf, readNamespaces } from "../prune/host-namespaces.ts";
import { type Pruned, type PruneOptions, prune } from "../prune/prune.ts";
import { pruneJson, pruneText, type Row } from "../prune/report.ts";
import { type Places, surveyOf } from "../prune/survey.ts";
import { oneLine, type Terminal } from "../terminal.ts";
import { withPath } from "../trouble.ts";

interface Options extends HostOptions {
  readonly write?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly timeout: string;
}

/** `prune`: removes what belongs to attachments whose network namespace is gone. */
export const pruneCommand: CommandMaker = (terminal, finish) =>
  addHostOptions(new Command("prune"))
    .summary("remove what is left of containers that are gone")
    .description(
      "Finds what is left of attachments whose network namespace is gone: results, journals, leases, links and packet rules. Without --write it changes nothing. It never touches what belongs to a running container.",
    )
    .option("--write", "run DEL for these attachments, and remove what DEL leaves")
    .option("-y, --yes", "do not ask on a terminal")
    .addOption(timeoutOption())
    .option("--json", "print the findings as JSON")
    .addHelpText("after", "\nExample:\n  cni-wrappers prune --network zone --write")
    .action(async (options: Options) => {
      const paths = await hostPathsOn(options, terminal);
      const { networks, faults: faultyLists } = readLists(paths.configDirectories, terminal);
      const lists = [...networks.values()].map(({ list }) => list);
      const { cacheDirectory } = paths;
      if (cacheDirectory !== usualCacheDirectory) withPath(cacheDirectory, () => statSync(cacheDirectory));
      const places = { cacheDirectory, lists };
      const faults = new Map<string, string>();
      const before = await look(places, faults);
      for (const { line } of faultyLists) faults.set(line, `${line}; leases in its directories may be left\n`);
      for (const line of faults.values()) terminal.writeError(line);
      const how = pruneOptions(paths, places, options);
      const findings = findingsIn(before);
      const names = findings.flatMap(({ network }) => network ?? []);
      demandNetwork(paths.network, [...before.networks.values(), ...names]);
      const found = findings.filter(how.isWanted).map(unpruned);
      const workloads = await namesFor(found, terminal);
      const isPruned =
        options.write === true && found.length > 0 && (await isMeant(found, options, terminal, workloads));
      const { rows, problems } = isPruned ? await pruned(before, how, terminal) : { rows: found, problems: [] };
      const unread = new Set([...before.problems, ...problems]);
      for (const line of unread) terminal.writeError(`${oneLine(line)}; packet rules may be left\n`);
      terminal.write(options.json ? pruneJson(rows, workloads) : pruneText(rows, terminal, workloads));
      const isGood = rows.every(({ fate }) => fate === "pruned");
      finish(exitCodeOf({ isGood, isComplete: unread.size + faults.size === 0 }));
    });

// Most hosts have nothing to prune. Then nobody needs to look into every namespace.
async function look(places: Places, faults: Map<string, string>): Promise<Survey> {
  const leaveOut = (file: string, reason: string) =>
    faults.set(file, `${file}: ${reason}; its container counts as running\n`);
  const first = surveyOf(places, { namespaces: [], pathState: pathStateOf }, leaveOut);
  return findingsIn(first).length === 0 ? first : surveyOf(places, await readNamespaces(), leaveOut);
}

function unpruned(finding: Finding): Row {
  const { why } = finding;
  return { finding, fate: why === undefined ? "prunable" : "left", why };
}

function namesFor(rows: readonly Row[], terminal: Terminal): Promise<WorkloadNames> {
  const attachments = rows.flatMap(({ finding }) => finding.known?.result ?? []);
  return workloadNames(attachments, terminal.env, terminal.writeError);
}

async function isMeant(
  rows: readonly Row[],
  options: Options,
  terminal: Terminal,
  names: WorkloadNames,
): Promise<boolean> {
  if (!rows.some(({ fate }) => fate === "prunable")) return false;
  if (!canAsk(terminal, options)) return true;
  terminal.writeError(pruneText(rows, terminal, names));
  return confirmed("Remove what can be pruned?");
}

function pruneOptions(paths: HostPaths, places: Places, { timeout }: Options): PruneOptions {
  return {
    look: () => look(places, new Map()),
    isWanted: (finding) => isWanted(paths, finding),
    cniPath: paths.cniPath,
    seconds: Number(timeout),
    results: join(paths.cacheDirectory, "results"),
  };
}

async function pruned(before: Survey, how: PruneOptions, terminal: Terminal): Promise<Pruned> {
  const done = await prune(before, how);
  for (const { known, plugin, error } of done.failed)
    terminal.writeError(`${known.network} ${known.containerId}: DEL of ${plugin} failed: ${error}\n`);
  return done;
}
