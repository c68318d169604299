import { existsSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import { attempt } from "../../shared/host/node/files.ts";
import { parseJsonObject } from "../../shared/protocol/json.ts";
import { type CommandData, hostOptions, jsonOption, option, timeoutOption } from "../command.ts";
import { demandReplaceable, writeAtomically } from "../files/atomic-write.ts";
import { readLinks } from "../host/links.ts";
import { keyOf, readState, stateDirectory } from "../host/memory.ts";
import { readPluginFolder, whyNoCheck } from "../host/read-plugin-folder.ts";
import { exposedPart, exposureCure } from "../install/place.ts";
import type { Context } from "../lint/rule.ts";
import type { ListFile } from "../lists/list-file.ts";
import { type CheckRequest, networkOf } from "../live/check.ts";
import { checkEvery, everyAttachment, lookedAt, viewOf } from "../live/every-attachment.ts";
import type { HostPathsFound } from "../live/host-paths.ts";
import { errorsIn, type Lists } from "../live/networks.ts";
import { hostErrors, type RunningHost } from "../needs/host-errors.ts";
import { countNetworks, type HostStatus, isWell, statusText } from "../status/host-status.ts";
import { installationsIn, narrowRuntimes } from "../status/installation.ts";
import { prometheusText } from "../status/prometheus.ts";
import { repairedAdds } from "../status/repaired-adds.ts";
import { exitCodeOf, jsonText, oneLine, type Terminal, Trouble } from "../terminal.ts";

interface Options extends CheckRequest {
  readonly json?: true;
  readonly prometheus?: boolean;
  readonly output?: string;
  readonly log?: string;
}

/** `status`: the state of a host in numbers, for monitoring. */
export const statusCommand: CommandData<undefined, Options> = {
  name: "status",
  summary: "show the installation, and count the attachments whose CHECK would fail",
  description:
    "Shows which version is installed and whether it is intact. Runs CHECK for every attachment on this host, as preflight does, and counts. It changes nothing on the network.",
  options: [
    ...hostOptions,
    jsonOption("the numbers and the installation as JSON").conflicts("prometheus"),
    option("--prometheus", "print the numbers for Prometheus"),
    option(
      "--output <file>",
      "write the numbers for Prometheus (with --json: JSON) to this file in one step, for node_exporter's textfile collector",
    ),
    option("--log <file>", "also count the repaired ADDs in this log of the wrappers (default: CNI_WRAPPERS_LOG)"),
    timeoutOption,
  ],
  example: "status --prometheus --output /var/lib/node_exporter/cni_wrappers.prom",
  run: async ({ options, terminal }) => {
    if (options.output !== undefined)
      demandReplaceable(options.output, terminal, { command: "status", isOutput: isStatus });
    const status = await statusOf(options, terminal);
    const text = textOf(status, options, terminal);
    if (options.output === undefined) terminal.write(text);
    // node_exporter has a user of its own, and root's umask may keep it out.
    else writeAtomically(resolve(terminal.directory, options.output), text, { isPublic: true });
    return exitCodeOf({ isGood: isWell(status), isComplete: status.unreadable === 0 });
  },
};

/** Whether a text has numbers that status wrote, in one of its formats. */
function isStatus(text: string): boolean {
  return text.startsWith("# HELP cni_wrappers_") || Array.isArray(parseJsonObject(text)?.installations);
}

function textOf(status: HostStatus, { json, prometheus, output }: Options, terminal: Terminal): string {
  if (json) return jsonText(status);
  return prometheus || output !== undefined ? prometheusText(status) : statusText(status, terminal);
}

async function statusOf(options: Options, terminal: Terminal): Promise<HostStatus> {
  // The log of CNI_WRAPPERS_LOG comes with its first line.
  // guard: a misspelled log is no log without repairs
  if (options.log && !existsSync(resolve(terminal.directory, options.log))) {
    throw new Trouble(`--log ${options.log}: there is no such file`);
  }
  const view = await viewOf(options, terminal);
  const { paths, leftOut } = view;
  const found = everyAttachment(view);
  const { check } = found;
  const remembered = new Set(found.memories.map(keyOf));
  const { checked: verdicts, strays } = await checkEvery(view, found, terminal);
  const checked = verdicts.map(({ attachment, verdict }) => {
    const isWrapped = networkOf(attachment, check)?.list.plugins.some((plugin) => plugin.isWrapped) ?? false;
    // guard: an attachment that nothing recovers is counted
    const lacksJournal = isWrapped && verdict.is !== "gone" && !remembered.has(keyOf(attachment));
    return { attachment, verdict, lacksJournal };
  });
  const log = options.log ?? terminal.env.CNI_WRAPPERS_LOG;
  const links = await readLinks();
  // guard: interfaces that cannot be read are not called good
  if (links === undefined) leftOut.note("the host's interfaces: ip(8) is missing, or fails");
  const state = existsSync(stateDirectory) ? readState(stateDirectory, terminal.directory) : undefined;
  const live = checked.filter(({ verdict }) => verdict.is !== "gone").map(({ attachment }) => attachment);
  const around = { directory: terminal.directory, links, state, live, note: leftOut.note };
  const installation = installationStatus(paths, check, around);
  leftOut.tell(terminal);
  return {
    time: new Date().toISOString(),
    ...installation,
    ...lookedAt(paths, check.networks),
    networks: countNetworks(checked),
    orphans: {
      results: checked.filter(({ verdict }) => verdict.is === "gone").length,
      journals: strays.memories.length,
    },
    unreadable: leftOut.lines.length,
    repaired: log ? await repairedAdds(resolve(terminal.directory, log)) : undefined,
  };
}

/** What the directories of plugins and of lists have, without any attachment. */
function installationStatus(
  { cniPath, nomad }: HostPathsFound,
  { networks, files, faults }: Lists,
  around: Pick<Terminal, "directory"> & Pick<Context, "links" | "state"> & Omit<RunningHost, "links">,
): Pick<HostStatus, "installations" | "lists" | "nomadSkipsCheck" | "narrowRuntimes"> {
  const { directory, links = [], live, note } = around;
  const plugins = readPluginFolder(cniPath.join(delimiter), directory);
  const types = [...networks.values()].flatMap(({ list }) => list.plugins.map(({ type }) => type));
  const missing = types.filter((type) => plugins.find(type) === undefined);
  const installations = installationsIn(cniPath, directory, new Set(missing));
  const { errors, switchedOff } = errorsIn(files, { ...around, plugins });
  return {
    installations,
    lists: {
      files: files.length,
      invalid: faults.map(({ line }) => line),
      errors: [
        ...errors,
        ...files.flatMap((file) => exposureOf(file, directory)),
        ...hostErrors(networks, { live, note, links }),
      ],
      switchedOff,
    },
    nomadSkipsCheck: whyNoCheck(plugins, nomad.version) ?? null,
    narrowRuntimes: installations.some(({ release }) => release?.flavor === "node") ? narrowRuntimes() : [],
  };
}

function exposureOf({ path }: ListFile, directory: string): readonly string[] {
  const exposed = attempt(() => exposedPart(resolve(directory, path)));
  if (exposed === undefined) return [];
  return [oneLine(`${path}: another user may change it, and plugins run as root with it; ${exposureCure(exposed)}`)];
}
