import { hostname } from "node:os";
import { delimiter } from "node:path";
import { InvalidArgumentError } from "commander";
import { stat } from "../../shared/host/node/files.ts";
import { evidenceOn, proposalFor } from "../adopt/proposal.ts";
import { type CommandData, hostOptions, jsonOption, option, timeoutOption, withOption } from "../command.ts";
import { readPluginFolder, whyNoCheck } from "../host/read-plugin-folder.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import { type CheckRequest, isGood, type Verdict } from "../live/check.ts";
import { checkEvery, everyAttachment, isReady, lookedAt, viewOf } from "../live/every-attachment.ts";
import { workloadNames } from "../live/workload.ts";
import { callTheRoll, type Expected, newestOfEach, readAnswers } from "../preflight/answers.ts";
import { forecastsOn, type HostReport, originOf, unsavedAmong } from "../preflight/forecasts.ts";
import { preflightJson, preflightText } from "../preflight/report.ts";
import { summaryCode, summaryJson, summaryText } from "../preflight/summary.ts";
import { exitCodeOf, type Terminal, Trouble } from "../terminal.ts";

interface Options extends CheckRequest, Expected {
  readonly summary?: readonly string[];
  readonly json?: boolean;
}

/** `preflight`: tells what the next restart of the runtime would do to the running containers. */
export const preflightCommand: CommandData<undefined, Options> = {
  name: "preflight",
  summary: "tell what the next restart would do to the running containers",
  description:
    "Runs CHECK for every attachment on this host, as the runtime would after a restart, and tells which would fail. It changes nothing.",
  options: [
    ...hostOptions,
    withOption,
    timeoutOption,
    jsonOption("the forecasts as JSON"),
    option("--summary <file...>", "check nothing, and sum up the JSON of many hosts; - is stdin").conflicts([
      "network",
      "container",
      "with",
    ]),
    option("--expect <file>", "with --summary: the hosts that must have answered, a name in each line"),
    option(
      "--since <time>",
      "with --expect: an answer from before this is old (default: an hour before the newest answer)",
    ).argParser(moment),
  ],
  example: "preflight --with zone.conflist.new",
  run: async ({ options, terminal }) => {
    const { summary, expect, since } = options;
    // Alone, these options would be ignored.
    // guard: no missing host is overlooked
    if ((expect !== undefined && !summary) || (since !== undefined && expect === undefined))
      throw new Trouble("--since needs --expect, and --expect needs --summary");
    if (summary) {
      const all = readAnswers(summary, terminal);
      const rollCall = callTheRoll(all, options, terminal.directory);
      const answers = newestOfEach(all);
      terminal.write(options.json ? summaryJson(answers, rollCall) : summaryText(answers, rollCall, terminal));
      return summaryCode(answers, rollCall);
    }
    const report = await reportOn(options, terminal);
    terminal.write(options.json ? preflightJson(report) : preflightText(report, terminal));
    // guard: a host with a failing attachment is not called good
    const isWell = isReady(report.lookedAt) && report.forecasts.every(({ verdict }) => isGood(verdict));
    return exitCodeOf({ isGood: isWell, isComplete: report.leftOut.length === 0 });
  },
};

async function reportOn(options: Options, terminal: Terminal): Promise<HostReport> {
  const view = await viewOf(options, terminal);
  const { paths, leftOut } = view;
  const attachments = everyAttachment(view);
  const { check } = attachments;
  leftOut.tell(terminal);
  const evidence = evidenceOn(attachments.all, check);
  const isAdoptable = async (attachment: CachedAttachment, verdict: Verdict) => {
    const proposal = await proposalFor(attachment, evidence(attachment), verdict);
    if (proposal.is === "unseen")
      leftOut.note(`${attachment.file}: nobody can tell whether it can be adopted: ${proposal.error}`);
    return proposal.is === "adoptable";
  };
  // Checking takes time, in which a young result gets older.
  const now = Date.now();
  const names = workloadNames(attachments.wanted, paths.agent, terminal.writeError);
  const { checked, strays } = await checkEvery(view, attachments, terminal);
  const forecasts = await forecastsOn(checked, { ...check, isAdoptable, names }, terminal);
  leftOut.tell(terminal);
  return {
    origin: originOf(view, now, terminal),
    host: "problem" in paths.nomad ? hostname() : paths.nomad.name,
    forecasts,
    strays,
    leftOut: leftOut.lines,
    lookedAt: lookedAt(paths, check.networks),
    nomadSkipsCheck: whyNoCheck(
      readPluginFolder(paths.cniPath.join(delimiter), terminal.directory),
      paths.nomad.version,
    ),
    unsaved: unsavedAmong(forecasts, { now, modifiedMs: (file) => stat(file)?.modifiedMs }),
  };
}

function moment(text: string): string {
  // Date.parse takes 1 for a day in 2001.
  if (/^\d{4}-\d\d-\d\d/.test(text) && Number.isFinite(Date.parse(text))) return text;
  throw new InvalidArgumentError("Write a time as date -Is prints it.");
}
