import { type CommandData, cacheDirOption, configDirOption, jsonOption, option } from "../command.ts";
import { ownPaths, ownRelease, removeAll } from "../install/install.ts";
import { placeAt, usualDirectory } from "../install/place.ts";
import { elsewhereText, removedText, usesText } from "../install/report.ts";
import { isWrapped, usesAmong } from "../install/uses.ts";
import { readListFiles } from "../lists/find-files.ts";
import { LeftOut } from "../live/alike.ts";
import { readAttachments } from "../live/cached-results.ts";
import { demandView, type HostOptions, hostPathsOf } from "../live/host-paths.ts";
import { noteLost } from "../live/lost-results.ts";
import { faultsIn, networksIn } from "../live/networks.ts";
import { exitCodeOf, jsonText, type Trouble } from "../terminal.ts";

interface Options extends HostOptions {
  readonly dir: string;
  readonly force?: true;
  readonly json?: true;
}

/** `uninstall`: removes the wrappers from a directory of plugins. */
export const uninstallCommand: CommandData<undefined, Options> = {
  name: "uninstall",
  summary: "remove the wrappers",
  description:
    "Removes the executable, its links and the kept version from a directory. It refuses while running containers need them.",
  options: [
    option("--dir <directory>", "the directory that they are in", usualDirectory),
    configDirOption(""),
    cacheDirOption,
    option("--force", "remove them even if running containers need them"),
    jsonOption("the result as JSON"),
  ],
  example: "uninstall",
  run: async ({ options: { dir, force, json, ...options }, terminal }) => {
    const place = placeAt(dir, terminal.directory);
    ownRelease(place);
    const paths = hostPathsOf({ ...options, cniPath: place.directory });
    // guard: the wrappers of containers that only the host sees
    if (!force) demandView(paths.cacheDirectory, terminal);
    const leftOut = new LeftOut();
    const unread: string[] = [];
    // guard: the wrappers of a container whose list cannot be read
    const leaveOut = force && (({ message }: Trouble) => unread.push(message));
    const files = readListFiles(paths.configDirectories, terminal, leaveOut);
    unread.push(...faultsIn(files).map(({ line }) => line));
    const wrapped = [...networksIn(files).values()].filter(({ list }) => isWrapped(list));
    const leaveOutJournal = (file: string, reason: string) => leftOut.note(`${file}: ${reason}`);
    const { all } = readAttachments(paths, leftOut.note);
    const uses = usesAmong(all, new Set(wrapped.map(({ name }) => name)), { leaveOut: leaveOutJournal });
    // A container whose result somebody has removed may need them, too.
    await noteLost({ paths, leftOut }, wrapped, terminal);
    leftOut.tell(terminal);
    // guard: the wrappers while a container needs them, or while a result or a journal cannot be read
    const isRefused = uses.length + leftOut.lines.length > 0 && !force && ownPaths(place).length > 0;
    const lists = wrapped.map(({ list }) => list.file.path);
    const removed = isRefused ? [] : removeAll(place);
    if (json) terminal.write(jsonText({ removed, uses, lists, leftOut: [...leftOut.lines, ...unread] }));
    else
      terminal.write(
        isRefused
          ? usesText(uses, leftOut.lines.length, "executable") + elsewhereText(uses, place.directory)
          : removedText(removed, place.directory),
      );
    for (const line of unread) terminal.writeError(`${line}; nobody can tell whether it names wrappers\n`);
    if (removed.length > 0) for (const list of lists) terminal.writeError(`${list}: ${isBare}\n`);
    return isRefused ? exitCodeOf({ isGood: false, isComplete: leftOut.isEmpty }) : 0;
  },
};

const isBare = "names wrappers; no container of it starts any more, unless another directory of cni_path has them";
