import { statSync } from "node:fs";
import { hostname } from "node:os";
import { evidenceOn } from "../adopt/evidence.ts";
import { proposalAfter } from "../adopt/proposal.ts";
import { type CommandData, option } from "../command.ts";
import { exitCodeOf } from "../exit-codes.ts";
import { whyNoCheckIn } from "../host/nomads-check.ts";
import { sha256 } from "../install/checksums.ts";
import type { ListFile } from "../lists/list-file.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import { type CheckOptions, isGood, type Verdict } from "../live/check.ts";
import { everyAttachment, straysAmong, viewOf } from "../live/every-attachment.ts";
import type { HostOptions } from "../live/host-paths.ts";
import { isReady, lookedAt } from "../live/looked-at.ts";
import { namedNamespaces } from "../live/namespaces.ts";
import { namesIn } from "../live/wanted.ts";
import { workloadNames } from "../live/workload.ts";
import { hostOptions, jsonOption, timeoutOption } from "../options.ts";
import { forecastsOn } from "../preflight/forecasts.ts";
import { type HostReport, unsavedAmong } from "../preflight/host-report.ts";
import { preflightJson, preflightText } from "../preflight/report.ts";
import { newestOfEach, readAnswers, silentHosts, summaryCode, summaryJson, summaryText } from "../preflight/summary.ts";
import type { Terminal } from "../terminal.ts";

interface Options extends HostOptions {
  readonly with?: string;
  readonly summary?: readonly string[];
  readonly hosts?: string;
  readonly json?: boolean;
  readonly timeout: string;
}

/** `preflight`: tells what the next restart of the runtime would do to the running containers. */
export const preflightCommand: CommandData<undefined, Options> = {
  name: "preflight",
  summary: "tell what the next restart would do to the running containers",
  description:
    "Runs CHECK for every attachment on this host, as the runtime would after a restart, and tells which would fail. It changes nothing.",
  options: [
    ...hostOptions,
    option("--with <file>", "check with this list instead of the current one of its name"),
    timeoutOption,
    jsonOption("the forecasts as JSON"),
    option("--summary <file...>", "check nothing, and sum up the JSON of many hosts; - is stdin"),
    option("--hosts <file>", "with --summary: the hosts that must have answered, a name in each line"),
  ],
  example: "preflight --with zone.conflist.new",
  run: async ({ options, terminal }) => {
    if (options.summary) {
      const answers = newestOfEach(readAnswers(options.summary, terminal));
      const silent = silentHosts(answers, options.hosts, terminal);
      terminal.write(options.json ? summaryJson(answers, silent) : summaryText(answers, silent, terminal));
      return summaryCode(answers, silent);
    }
    const report = await reportOn(options, terminal);
    terminal.write(options.json ? preflightJson(report) : preflightText(report, terminal));
    const isWell = isReady(report.lookedAt) && report.forecasts.every(({ verdict }) => isGood(verdict));
    return exitCodeOf({ isGood: isWell, isComplete: report.leftOut.length === 0 });
  },
};

async function reportOn(options: Options, terminal: Terminal): Promise<HostReport> {
  const view = await viewOf(options, terminal);
  const { paths, check, leftOut } = view;
  const attachments = everyAttachment(view);
  for (const line of uselessWith(check, attachments.wanted)) leftOut.note(line);
  leftOut.tell(terminal);
  const evidence = evidenceOn(attachments.all, check);
  const isAdoptable = async (attachment: CachedAttachment, verdict: Verdict) => {
    const proposal = await proposalAfter(verdict, attachment, evidence(attachment));
    return proposal.is === "adoptable";
  };
  // Checking takes time, in which a young result gets older.
  const now = Date.now();
  const names = workloadNames(attachments.wanted, paths.agent, terminal.writeError);
  const forecasts = await forecastsOn(attachments.wanted, { ...check, isAdoptable, names }, terminal);
  return {
    origin: originOf(check, now, terminal),
    host: hostname(),
    forecasts,
    strays: straysAmong(attachments.all, namedNamespaces(), attachments.memories),
    leftOut: leftOut.lines,
    lookedAt: lookedAt(paths, check),
    nomadSkipsCheck: whyNoCheckIn(paths.cniPath, terminal.directory),
    unsaved: unsavedAmong(forecasts, { now, modifiedMs }),
  };
}

/** Says that nothing is checked with the list of `--with`. The other networks are checked: a fleet counts the host. */
function uselessWith({ with: instead }: CheckOptions, wanted: readonly CachedAttachment[]): string[] {
  if (instead === undefined || wanted.some(({ network }) => network === instead.name)) return [];
  const there = namesIn(wanted.map((one) => one.network));
  const { path } = instead.list.file;
  return [`--with ${path}: no attachment has its network ${instead.name}, so nothing is checked with it; ${there}`];
}

function originOf({ files, with: instead }: CheckOptions, now: number, { release }: Terminal): HostReport["origin"] {
  const checksumOf = ({ path, text }: ListFile) => ({ file: path, sha256: sha256(Buffer.from(text)) });
  return {
    format: 1,
    tool: { version: release.version, commit: release.commit },
    time: new Date(now).toISOString(),
    lists: files.map(checksumOf),
    with: instead ? checksumOf(instead.list.file) : null,
  };
}

function modifiedMs(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
