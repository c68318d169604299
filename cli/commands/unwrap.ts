import { Command } from "commander";
import type { CommandMaker } from "../command.ts";
import { exitCodeOf } from "../exit-codes.ts";
import { stateDirectory } from "../host/memory.ts";
import { usesText } from "../install/report.ts";
import { usesAmong } from "../install/uses.ts";
import type { List } from "../lists/list.ts";
import { readAttachments } from "../live/wanted.ts";
import { offer, readList } from "../wrap/change.ts";
import { decideUnwrapping, type Unwrapping, unwrappedText } from "../wrap/unwrap.ts";

interface Options {
  readonly write?: true;
  readonly force?: true;
  readonly json?: true;
  readonly state: string;
}

/** `unwrap`: makes a plain list of a wrapped one. */
export const unwrapCommand: CommandMaker = (terminal, finish) =>
  new Command("unwrap")
    .summary("give a wrapped list its plain plugins back")
    .description(
      "Removes the wrappers and their keys from a list, says what is lost, and shows the change as a diff. It refuses to write while running containers of the list need the wrappers.",
    )
    .argument("<file>", "a network configuration list")
    .option("-w, --write", "change the file, and keep the old text in FILE.bak")
    .option("--force", "write even if running containers need the wrappers")
    .option("--json", "print the decisions as JSON instead of the diff")
    .option("--state <directory>", "where libcni and the wrappers keep results and journals", stateDirectory)
    .addHelpText("after", "\nExample:\n  cni-wrappers unwrap /opt/cni/config/zone.conflist")
    .action((path: string, options: Options) => {
      const list = readList(path, terminal.directory);
      const unwrapping = decideUnwrapping(list);
      const unreadable: string[] = [];
      const isIdle = unwrapping.plugins.length === 0;
      const uses = isIdle ? [] : usesOf(list, options.state, (line) => void unreadable.push(line));
      for (const line of unreadable) terminal.writeError(line);
      const isFree = uses.length + unreadable.length === 0 || options.force === true;
      const refusal = isFree ? undefined : usesText(uses, unreadable.length, "list");
      const decisions = { ...unwrapping, uses };
      const words = wordsFor(unwrapping);
      offer(
        { list, decisions, idle: "has no wrapper", words, text: unwrappedText(list, unwrapping), refusal },
        options,
        terminal,
      );
      finish(options.write ? exitCodeOf({ isGood: isFree, isComplete: isFree || unreadable.length === 0 }) : 0);
    });

function usesOf({ name = "" }: List, state: string, leaveOut: (line: string) => void) {
  const paths = { configDirectories: [], cniPath: [], cacheDirectory: state, network: name };
  return usesAmong(readAttachments(paths, leaveOut).wanted, state).filter(({ network }) => network === name);
}

function wordsFor({ plugins, notes }: Unwrapping): readonly string[] {
  return [...plugins.flatMap(({ becomes, losses }) => losses.map((loss) => `${becomes} ${loss}.`)), ...notes];
}
