import { Command } from "commander";
import type { CommandMaker } from "../command.ts";
import { offer, readList } from "../wrap/change.ts";
import { decideUnwrapping, type Unwrapping, unwrappedText } from "../wrap/unwrap.ts";

/** `unwrap`: makes a plain list of a wrapped one. */
export const unwrapCommand: CommandMaker = (terminal, finish) =>
  new Command("unwrap")
    .summary("give a wrapped list its plain plugins back")
    .description("Removes the wrappers and their keys from a list, says what is lost, and shows the change as a diff.")
    .argument("<file>", "a network configuration list")
    .option("-w, --write", "change the file, and keep the old text in FILE.bak")
    .option("--json", "print the decisions as JSON instead of the diff")
    .addHelpText("after", "\nExample:\n  cni-wrappers unwrap /opt/cni/config/zone.conflist")
    .action((path: string, options: { write?: true; json?: true }) => {
      const list = readList(path, terminal.directory);
      const decisions = decideUnwrapping(list);
      const idle = "has no wrapper";
      const change = { list, decisions, idle, words: wordsFor(decisions), text: unwrappedText(list, decisions) };
      offer(change, options, terminal);
      finish(0);
    });

function wordsFor({ plugins, notes }: Unwrapping): readonly string[] {
  return [...plugins.flatMap(({ becomes, losses }) => losses.map((loss) => `${becomes} ${loss}.`)), ...notes];
}
