import { existsSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { delimiter } from "node:path";
import { Command } from "commander";
import { recordDirectory } from "../../shared/record/record.ts";
import type { CommandMaker } from "../command.ts";
import { whyNoCheck } from "../host/nomads-check.ts";
import { readPluginFolder } from "../host/read-plugin-folder.ts";
import { readListFile } from "../lists/find-files.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import {
  addHostOptions,
  type HostOptions,
  type HostPaths,
  hostPathsOf,
  usualCacheDirectory,
} from "../live/host-paths.ts";
import { namedNamespaces } from "../live/namespaces.ts";
import { loadNetworks, type Networks, networkIn } from "../live/networks.ts";
import { timeoutOption } from "../live/timeout.ts";
import { type Attachments, isWanted, readAttachments } from "../live/wanted.ts";
import { workloadNames } from "../live/workload.ts";
import { atOnce } from "../preflight/at-once.ts";
import { type CheckOptions, checkOnHost, networkOf } from "../preflight/check.ts";
import type { Forecast } from "../preflight/forecast.ts";
import { straysAmong } from "../preflight/host-report.ts";
import { changedKeys } from "../preflight/list-changes.ts";
import { readRecords, withLostResult } from "../preflight/lost-results.ts";
import { preflightJson, preflightText } from "../preflight/report.ts";
import type { Terminal } from "../terminal.ts";
import { Trouble } from "../trouble.ts";

interface Options extends HostOptions {
  readonly with?: string;
  readonly json?: boolean;
  readonly timeout: string;
}

/** `preflight`: tells what the next restart of the runtime would do to the running containers. */
export const preflightCommand: CommandMaker = (terminal, finish) =>
  addHostOptions(new Command("preflight"))
    .summary("tell what the next restart would do to the running containers")
    .description(
      "Runs CHECK for every attachment on this host, as the runtime would after a restart, and tells which would fail. It changes nothing.",
    )
    .option("--with <file>", "check with this list instead of the current one of its name")
    .addOption(timeoutOption())
    .option("--json", "print the forecasts as JSON")
    .addHelpText("after", "\nExample:\n  cni-wrappers preflight --with zone.conflist.new")
    .action(async (options: Options) => {
      const paths = hostPathsOf(options);
      let isComplete = true;
      const { wanted, all } = everyAttachment(paths, (line) => {
        isComplete = false;
        terminal.writeError(line);
      });
      const networks = networksFor(paths, options, terminal);
      const names = workloadNames(wanted, terminal.env, terminal.writeError);
      const verdicts = await verdictsOn(wanted, {
        networks,
        cniPath: paths.cniPath,
        seconds: Number(options.timeout),
      });
      const workloadOf = await names;
      const forecasts = verdicts.map((one) => ({ ...one, workload: workloadOf(one.attachment) }));
      const strays = straysAmong(all, namedNamespaces(), recordNames());
      const nomadSkipsCheck = whyNoCheck(readPluginFolder(paths.cniPath.join(delimiter), terminal.directory));
      const report = { forecasts, strays, nomadSkipsCheck };
      terminal.write(options.json ? preflightJson(report) : preflightText(report, terminal));
      finish(isComplete && !forecasts.some(({ verdict }) => verdict.is === "fails") ? 0 : 1);
    });

/** Returns the attachments of a host, also those whose results are lost. */
function everyAttachment(paths: HostPaths, leaveOut: (line: string) => void): Attachments {
  const { wanted, all } = readAttachments(paths, leaveOut);
  // The results of another directory are another runtime's.
  if (paths.cacheDirectory !== usualCacheDirectory) return { wanted, all };
  const lost = withLostResult(readRecords(straysAmong(all, [], recordNames()).records));
  return { wanted: [...wanted, ...lost.filter((one) => isWanted(paths, one))], all: [...all, ...lost] };
}

function recordNames(): readonly string[] {
  return existsSync(recordDirectory) ? readdirSync(recordDirectory) : [];
}

function verdictsOn(
  attachments: readonly CachedAttachment[],
  options: CheckOptions,
): Promise<readonly Omit<Forecast, "workload">[]> {
  return atOnce(attachments, availableParallelism(), async (attachment) => {
    const network = networkOf(attachment, options);
    const changed = network && attachment.list ? changedKeys(attachment.list, network.value) : [];
    return { attachment, verdict: await checkOnHost(attachment, options), changed };
  });
}

function networksFor(paths: HostPaths, options: Options, terminal: Terminal): Networks {
  const current = loadNetworks(paths.configDirectories, terminal);
  if (options.with === undefined) return current;
  const network = networkIn(readListFile(options.with, terminal.directory));
  if (!network) throw new Trouble(`${options.with}: it is not a list with a name; run cni-wrappers lint on it`);
  return { ...current, byName: new Map([...current.byName, [network.name, network]]) };
}
