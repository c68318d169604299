import { Command } from "commander";
import type { CommandMaker } from "../command.ts";
import { ownRelease } from "../install/own-release.ts";
import { placeAt, usualDirectory } from "../install/place.ts";
import { elsewhereText, removedText, usesText } from "../install/report.ts";
import { removeAll } from "../install/uninstall.ts";
import { isWrapped, usesAmong } from "../install/uses.ts";
import { type HostOptions, hostPathsOf, usualCacheDirectory } from "../live/host-paths.ts";
import { loadNetworks } from "../live/networks.ts";
import { readAttachments } from "../live/wanted.ts";

interface Options extends HostOptions {
  readonly dir: string;
  readonly force?: true;
  readonly json?: true;
}

/** `uninstall`: removes the wrappers from a directory of plugins. */
export const uninstallCommand: CommandMaker = (terminal, finish) =>
  new Command("uninstall")
    .summary("remove the wrappers")
    .description(
      "Removes the executable, its links and the kept version from a directory. It refuses while running containers need them.",
    )
    .option("--dir <directory>", "the directory that they are in", usualDirectory)
    .option("--config-dir <dir...>", "directories of the lists (default: /opt/cni/config and /etc/cni/net.d)")
    .option("--cache-dir <dir>", "libcni's cache, which has the results", usualCacheDirectory)
    .option("--force", "remove them even if running containers need them")
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  cni-wrappers uninstall")
    .action(({ dir, force, json, ...options }: Options) => {
      const place = placeAt(dir, terminal.directory);
      ownRelease(place);
      const paths = hostPathsOf({ ...options, cniPath: place.directory });
      const unreadable: string[] = [];
      const uses = usesAmong(readAttachments(paths, (line) => void unreadable.push(line)).all);
      for (const line of unreadable) terminal.writeError(line);
      const isRefused = uses.length + unreadable.length > 0 && !force;
      const networks = [...loadNetworks(paths.configDirectories, terminal).values()];
      const lists = networks.filter(({ value }) => isWrapped(value)).map(({ list }) => list.file.path);
      const removed = isRefused ? [] : removeAll(place);
      if (json) terminal.write(`${JSON.stringify({ removed, uses, lists }, null, 2)}\n`);
      else
        terminal.write(
          isRefused
            ? usesText(uses, unreadable.length, "executable") + elsewhereText(uses, place.directory)
            : removedText(removed, place.directory),
        );
      if (!isRefused)
        for (const list of lists)
          terminal.writeError(`${list}: names wrappers, so no container of it starts any more\n`);
      finish(isRefused ? 1 : 0);
    });
