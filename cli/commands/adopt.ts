import { adoptCase, keptResults, type Undone, undo } from "../adopt/adoption.ts";
import { askableOn, type Case, evidenceOn, proposalFor } from "../adopt/proposal.ts";
import { jsonOf, textFor, undoneText } from "../adopt/report.ts";
import { type CommandData, hostOptions, jsonOption, option, timeoutOption, withOption, yesOption } from "../command.ts";
import { isApproved } from "../confirm.ts";
import { atOnce, withBar } from "../live/at-once.ts";
import { type Attachments, type CachedAttachment, isAttachment, readCachedResult } from "../live/cached-results.ts";
import { type CheckRequest, checkOnHost, inPlace } from "../live/check.ts";
import { checkedNetworks, everyAttachment, type HostView, placesText, viewOf } from "../live/every-attachment.ts";
import type { HostPaths } from "../live/host-paths.ts";
import { noteLost } from "../live/lost-results.ts";
import { workloadNames } from "../live/workload.ts";
import { exitCodeOf, jsonText, type Terminal, Trouble } from "../terminal.ts";

interface Options extends CheckRequest {
  readonly write?: boolean;
  readonly undo?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `adopt`: completes the results of live attachments whose CHECK would fail. */
export const adoptCommand: CommandData<undefined, Options> = {
  name: "adopt",
  summary: "complete the results of running containers whose CHECK would fail",
  description:
    "Completes the cached results of running containers with the interfaces and addresses that are in their namespaces, so that the next CHECK passes. It proposes only results that passed CHECK. Without --write it changes nothing.",
  options: [
    ...hostOptions,
    withOption,
    option("--write", "replace the results, with a backup, and write the wrappers' journals"),
    option("--undo", "restore the backups, but for results that the list in place needs").conflicts("with"),
    yesOption,
    timeoutOption,
    jsonOption("the proposals as JSON"),
  ],
  example: "adopt --network zone --write",
  run: async ({ options, terminal }) => {
    const view = await viewOf(options, terminal);
    const { paths, leftOut } = view;
    const { check, ...attachments } = everyAttachment(view);
    await noteLost(view, checkedNetworks(check), terminal);
    leftOut.tell(terminal);
    if (options.undo) {
      const isWanted = isWantedFile(paths, attachments);
      const kept = await keptResults(paths.cacheDirectory, isWanted, {
        check: (one) => checkOnHost(one, check),
        canAsk: askableOn(check, terminal.directory),
        note: leftOut.note,
      });
      const undone = undo(paths.cacheDirectory, isWanted, { kept, note: leftOut.note });
      leftOut.tell(terminal);
      const data = undone.map(([file, how]) => ({ file, undone: how }));
      terminal.write(options.json ? jsonText(data) : undoneText(undone));
      const has = (word: Undone) => undone.some(([, how]) => how === word);
      const isGood = !has("changed since") && !has("needed") && !has("lost");
      return exitCodeOf({ isGood, isComplete: leftOut.isEmpty && !has("unreadable") });
    }
    const proposed = await casesOn(attachments, { ...view, check }, terminal);
    const where = placesText(paths);
    const shown = () => textFor(proposed, { isWritten: false, where }, terminal);
    const ask = () => isApproved("Replace these results?", shown, terminal, options);
    const isNeeded = proposed.some(({ proposal: { is } }) => is === "adoptable");
    // guard: nothing is replaced without --write and the operator's yes
    const isWritten = options.write === true && (!isNeeded || (await ask()));
    const write = (one: Case) => adoptCase(paths.cacheDirectory, one, (again) => checkOnHost(again, check));
    const cases = isWritten ? await atOnce(proposed, 1, write) : proposed;
    terminal.write(options.json ? jsonOf(cases, isWritten) : textFor(cases, { isWritten, where }, terminal));
    if (options.json) terminal.writeError(`${where}\n`);
    const isDone = ({ proposal: { is } }: Case) =>
      is === "fine" || is === "unchecked" || (is === "adoptable" && isWritten);
    return exitCodeOf({
      isGood: cases.every(isDone),
      isComplete: leftOut.isEmpty && cases.every(({ proposal: { is } }) => is !== "unseen" && is !== "unwritten"),
    });
  },
};

async function casesOn({ wanted, all }: Attachments, { paths, check }: HostView, terminal: Terminal) {
  const names = workloadNames(wanted, paths.agent, terminal.writeError);
  const evidence = evidenceOn(all, check);
  const checkInPlace = check.with && ((one: CachedAttachment) => checkOnHost(one, inPlace(check)));
  const caseOf = async (listed: CachedAttachment): Promise<Case> => {
    const workload = (await names)(listed);
    try {
      // The file may have changed since the directory was read. Its text is what --write replaces.
      const now = readCachedResult(listed.file);
      const attachment = now && isAttachment(now) ? now : listed;
      const proposal = await proposalFor(attachment, { ...evidence(attachment), checkInPlace });
      return { attachment, workload, proposal };
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      return { attachment: listed, workload, proposal: { is: "unseen", error: error.message } };
    }
  };
  return withBar(wanted, terminal, caseOf);
}

function isWantedFile(paths: HostPaths, { wanted }: Attachments): (file: string) => boolean {
  const files = new Set(wanted.map(({ file }) => file));
  const isAll = paths.network === undefined && paths.containerId === undefined;
  return (file) => isAll || files.has(file);
}
