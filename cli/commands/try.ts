import { existsSync, readFileSync } from "node:fs";
import { delimiter } from "node:path";
import process from "node:process";
import { Argument } from "commander";
import { type CommandData, cniPathOption, jsonOption, option, portOption, timeoutOption } from "../command.ts";
import { readLinks } from "../host/links.ts";
import { stateDirectory } from "../host/memory.ts";
import { agentFault } from "../live/every-attachment.ts";
import { hostPathsOn } from "../live/host-paths.ts";
import { addedBeside, demandNetworkIn } from "../live/networks.ts";
import { missingWrapperCure } from "../rules/missing-plugin.ts";
import { exitCodeOf, jsonText, type Terminal, Trouble } from "../terminal.ts";
import { ownNamespaces, type StageOutcome, type Task, tryInside } from "../try/inside.ts";
import { type Report, tryText } from "../try/report.ts";
import { onStage } from "../try/stage.ts";
import { surroundingsOf } from "../try/surroundings.ts";
import { readList } from "../wrap/change.ts";

interface Options {
  readonly cniPath?: string;
  readonly veth?: boolean;
  readonly port?: readonly string[];
  readonly timeout: string;
  readonly json?: true;
  readonly inside?: true;
}

/** `try`: what this host's plugins do with a list, without a container. */
export const tryCommand: CommandData<string, Options> = {
  name: "try",
  summary: "run a list with this host's plugins, without a container",
  description:
    "Runs ADD, CHECK and DEL of a list with this host's plugins, in namespaces of its own: for a container, for a second one beside it, and for one whose first ADD fails. It changes nothing on the host.",
  argument: new Argument("<file>", "the list"),
  options: [
    cniPathOption,
    option("--veth", "where the list needs an interface of the host, use a veth of its name"),
    portOption,
    timeoutOption,
    jsonOption("the steps as JSON"),
    // The command starts itself with it.
    option("--inside", "").hideHelp(),
  ],
  example: "try --veth zone.conflist",
  run: async ({ given, options, terminal }) => {
    if (options.inside) {
      terminal.write(JSON.stringify(await tryInside(JSON.parse(readFileSync(0, "utf8")))));
      return 0;
    }
    const report = await reportOn(given, options, terminal);
    terminal.write(options.json ? jsonText(report) : tryText(report, terminal));
    const { steps, left, problems, obstacles, added } = report;
    // guard: a step that nobody can judge is not called good
    const isKnown = steps.every(({ outcome }) => outcome !== "unknown");
    return exitCodeOf({
      // guard: no list is called good that leaves something, or whose step fails
      isGood: left.length === 0 && steps.every(({ outcome }) => outcome !== "fails"),
      // guard: no list is called good that was not tried, or not as a whole
      isComplete: isKnown && [...obstacles, ...problems, ...added].length === 0,
    });
  },
};

/** What to do about a wrapper or a directory that is not there. */
function hintsOn({ steps }: StageOutcome, cniPath = ""): readonly string[] {
  const cures = steps.flatMap(({ plugin = "", why = "" }) => missingWrapperCure(plugin, why) ?? []);
  const directories = cniPath.split(delimiter).filter((directory) => directory !== "" && !existsSync(directory));
  return [...new Set(cures), ...directories.map((directory) => `--cni-path: ${directory} does not exist`)];
}

async function reportOn(
  path: string,
  { cniPath, veth = false, port, timeout }: Options,
  terminal: Terminal,
): Promise<Report> {
  const { file } = readList(path, terminal.directory);
  const network = demandNetworkIn(file);
  // guard: nothing is tried without namespaces of its own
  if (process.getuid?.() !== 0) throw new Trouble("only root can make namespaces: run the command as root");
  const where = { cacheDir: stateDirectory, configDir: [], ...(cniPath !== undefined && { cniPath }) };
  const paths = await hostPathsOn(where, { env: terminal.env, viewProblem: () => undefined });
  const fault = agentFault(paths, "--cni-path");
  // guard: no plugins are tried but those that the runtime uses
  if (fault !== undefined) throw new Trouble(fault);
  const links = await readLinks();
  if (links === undefined) throw new Trouble("ip(8) failed or is missing: install iproute2");
  const host = { links, cniPath: paths.cniPath, veth, ports: port };
  const { commands, notes, obstacles, state } = surroundingsOf(network.list, host);
  const nomads = "problem" in paths.nomad ? undefined : paths.nomad.configDirectory;
  const added = addedBeside([file], terminal.directory, nomads);
  const common = { file: path, network: network.name, cniPath: paths.cniPath, notes, obstacles, added };
  // guard: no plugin runs that needs what the stage does not have
  if (obstacles.length > 0) return { ...common, steps: [], left: [], stays: [], problems: [] };
  const task: Task = {
    path,
    text: file.text,
    cniPath: paths.cniPath,
    seconds: Number(timeout),
    ports: port,
    commands,
    outside: ownNamespaces(),
  };
  const happened: StageOutcome = JSON.parse(await onStage(JSON.stringify(task), state, terminal));
  return { ...common, ...happened, notes: [...notes, ...hintsOn(happened, cniPath)] };
}
