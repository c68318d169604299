import { type CommandData, jsonOption, option } from "../command.ts";
import { install, installPrevious } from "../install/install.ts";
import { hasPlugins, placeAt, usualDirectory } from "../install/place.ts";
import { installedText, noPluginsText } from "../install/report.ts";
import { readSource } from "../install/source.ts";
import { hasJq } from "../install/uses.ts";
import { readListFiles } from "../lists/find-files.ts";
import { usualConfigDirectories } from "../live/host-paths.ts";
import { networksIn, readLists } from "../live/networks.ts";
import { jsonText, Trouble } from "../terminal.ts";

interface Options {
  readonly dir: string;
  readonly plugins?: string;
  readonly from?: string;
  readonly rollback?: true;
  readonly json?: true;
}

/** `install`: puts the wrappers into a directory of plugins. */
export const installCommand: CommandData<undefined, Options> = {
  name: "install",
  summary: "install or upgrade the wrappers while containers run",
  description:
    "Puts the executable and its links into a directory of CNI_PATH. Each file is replaced in one step: a call meanwhile runs the old executable or the new one. The old one is kept for --rollback.",
  options: [
    option("--dir <directory>", "a directory of CNI_PATH", usualDirectory),
    option("--from <file>", "a release archive or an executable (default: the executable that runs)"),
    option("--plugins <plugins>", "plugins that get a link, separated by commas (default: all)"),
    option("--rollback", "put the previous executable back"),
    jsonOption("the result as JSON"),
  ],
  example: "install --from cni-wrappers-linux-amd64-v0.2.0.tgz",
  run: ({ options: { dir, from, plugins, rollback, json }, terminal }) => {
    if (rollback && (from !== undefined || plugins !== undefined))
      throw new Trouble("--rollback takes what is kept in the directory: leave --from and --plugins out");
    const place = placeAt(dir, terminal.directory);
    const { faults } = readLists(usualConfigDirectories(), terminal.directory);
    const needJq = () => {
      const networks = networksIn(readListFiles(usualConfigDirectories(), terminal, refuse));
      return [...networks.values()].filter(({ list }) => hasJq(list)).map(({ list }) => list.file.path);
    };
    const installed = rollback
      ? installPrevious(place, needJq)
      : install(place, readSource(from, terminal), plugins ?? "all", needJq);
    // guard: the slim flavor is not called good under a list that nobody can read
    const leftOut = installed.release.flavor === "slim" ? faults.map(({ line }) => line) : [];
    terminal.write(json ? jsonText({ ...installed, leftOut }) : installedText(installed));
    for (const line of leftOut) terminal.writeError(`${line}; ${mayHaveJq}\n`);
    if (!hasPlugins(place)) terminal.writeError(noPluginsText(place.directory));
    return 0;
  },
};

function refuse({ message }: Trouble): never {
  throw new Trouble(`${message}; ${mayHaveJq}`);
}

const mayHaveJq = "nobody can tell whether it has wrapper.jq, which the slim flavor does not run";
