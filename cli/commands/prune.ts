import { join } from "node:path";
import { type CommandData, hostOptions, jsonOption, option, timeoutOption, yesOption } from "../command.ts";
import { isApproved } from "../confirm.ts";
import { tellAlike } from "../live/alike.ts";
import { demandCache, demandNetwork, isWanted } from "../live/cached-results.ts";
import type { CheckRequest } from "../live/check.ts";
import { placesText, viewOf } from "../live/every-attachment.ts";
import type { HostPaths } from "../live/host-paths.ts";
import { workloadNames } from "../live/workload.ts";
import { findingsIn, type Survey } from "../prune/findings.ts";
import { pathStateOf, readNamespaces } from "../prune/host-namespaces.ts";
import { type PruneOptions, prune } from "../prune/prune.ts";
import { pruneJson, pruneText, type Row } from "../prune/report.ts";
import { type Places, surveyOf } from "../prune/survey.ts";
import { exitCodeOf, oneLine, type Terminal } from "../terminal.ts";

interface Options extends CheckRequest {
  readonly write?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `prune`: removes what belongs to attachments whose network namespace is gone. */
export const pruneCommand: CommandData<undefined, Options> = {
  name: "prune",
  summary: "remove what is left of containers that are gone",
  description:
    "Finds what is left of attachments whose network namespace is gone: results, journals, leases, links and packet rules. Without --write it changes nothing. It never touches what belongs to a running container.",
  options: [
    ...hostOptions,
    option("--write", "run DEL for these attachments, and remove what DEL leaves"),
    yesOption,
    timeoutOption,
    jsonOption("the findings as JSON"),
  ],
  example: "prune --network zone --write",
  run: async ({ options, terminal }) => {
    const { paths, check, leftOut } = await viewOf(options, terminal);
    const lists = [...check.networks.values()].map(({ list }) => list);
    const { cacheDirectory } = paths;
    demandCache(cacheDirectory);
    const places = { cacheDirectory, lists };
    const before = await look(places, leftOut.note);
    for (const line of before.problems) leftOut.note(line);
    leftOut.tell(terminal);
    const how = pruneOptions(paths, places, options);
    const findings = findingsIn(before);
    const names = findings.flatMap(({ network }) => network ?? []);
    demandNetwork(paths.network, [...before.networks.values(), ...names]);
    const found = findings.filter(how.isWanted).map((finding): Row => {
      return { finding, fate: finding.why === undefined ? "prunable" : "left", why: finding.why };
    });
    const attachments = found.flatMap(({ finding }) => finding.known?.result ?? []);
    const workloads = await workloadNames(attachments, paths.agent, terminal.writeError);
    const where = placesText(paths);
    const textOf = (shown: readonly Row[]) =>
      pruneText(shown, terminal, { names: workloads, where, isAll: leftOut.isEmpty });
    const ask = () => isApproved("Remove what can be pruned?", () => textOf(found), terminal, options);
    // guard: nothing is removed without --write and the operator's yes
    const isPruned = options.write === true && found.some(({ fate }) => fate === "prunable") && (await ask());
    const { rows, problems } = isPruned ? await pruned(before, how, terminal) : { rows: found, problems: [] };
    for (const line of problems) leftOut.note(line);
    leftOut.tell(terminal);
    terminal.write(options.json ? pruneJson(rows, workloads) : textOf(rows));
    if (options.json) terminal.writeError(`${where}\n`);
    // guard: not all is called good while something is left
    const isGood = rows.every(({ fate }) => fate === "pruned");
    const isSeen = rows.every(({ why }) => !why?.endsWith(" cannot be read"));
    return exitCodeOf({ isGood, isComplete: leftOut.isEmpty && isSeen });
  },
};

// Most hosts have nothing to prune. Then nobody needs to look into every namespace.
async function look(places: Places, note: (line: string) => void): Promise<Survey> {
  const leaveOut = (file: string, reason: string) => note(`${file}: ${reason}; its container counts as running`);
  const first = await surveyOf(places, { namespaces: [], pathState: pathStateOf }, leaveOut);
  return findingsIn(first).length === 0 ? first : surveyOf(places, await readNamespaces(), leaveOut);
}

function pruneOptions(paths: HostPaths, places: Places, { timeout }: Options): PruneOptions {
  return {
    look: () => look(places, () => {}),
    isWanted: (finding) => isWanted(paths, finding),
    cniPath: paths.cniPath,
    seconds: Number(timeout),
    results: join(paths.cacheDirectory, "results"),
  };
}

async function pruned(before: Survey, how: PruneOptions, terminal: Terminal) {
  const done = await prune(before, how);
  const lines = done.failed.map(({ known: { network, containerId }, plugin, error }) => {
    return oneLine(`${network} ${containerId}: DEL of ${plugin} failed: ${error}`);
  });
  tellAlike(lines, terminal);
  return done;
}
