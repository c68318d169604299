import { basename } from "node:path";
import { Argument } from "commander";
import { type CommandData, jsonOption, option, stateOption } from "../command.ts";
import { usesText } from "../install/report.ts";
import { usesAmong } from "../install/uses.ts";
import type { List } from "../lists/list.ts";
import { LeftOut } from "../live/alike.ts";
import { readAttachments } from "../live/cached-results.ts";
import { demandView } from "../live/host-paths.ts";
import { exitCodeOf } from "../terminal.ts";
import { offer, readList } from "../wrap/change.ts";
import { decideUnwrapping, unwrappedText } from "../wrap/unwrap.ts";

interface Options {
  readonly write?: true;
  readonly force?: true;
  readonly json?: true;
  readonly state: string;
}

/** `unwrap`: makes a plain list of a wrapped one. */
export const unwrapCommand: CommandData<string, Options> = {
  name: "unwrap",
  summary: "give a wrapped list its plain plugins back",
  description:
    "Removes the wrappers and their keys from a list, says what is lost, and shows the change as a diff. It refuses to write while running containers of the list need the wrappers.",
  argument: new Argument("<file>", "a network configuration list"),
  options: [
    option("-w, --write", "change the file, and keep the old text in FILE.bak"),
    option("--force", "write even if running containers need the wrappers"),
    jsonOption("the decisions as JSON instead of the diff"),
    stateOption("where libcni and the wrappers keep results and journals"),
  ],
  example: "unwrap /opt/cni/config/zone.conflist",
  run: ({ given: path, options, terminal }) => {
    const list = readList(path, terminal.directory);
    const unwrapping = decideUnwrapping(list);
    const leftOut = new LeftOut();
    const isIdle = unwrapping.plugins.length === 0;
    // guard: the list of containers that only the host sees
    if (options.write && !options.force && !isIdle) demandView(options.state, terminal);
    const uses = isIdle ? [] : usesOf(list, options.state, leftOut.note);
    leftOut.tell(terminal);
    // guard: the list of a container that needs the wrappers, or whose result or journal cannot be read
    const isFree = (uses.length === 0 && leftOut.isEmpty) || options.force === true;
    const refusal = isFree ? undefined : usesText(uses, leftOut.lines.length, "list");
    const decisions = { ...unwrapping, uses };
    const losses = unwrapping.plugins.flatMap((one) => one.losses.map((loss) => `${one.becomes} ${loss}.`));
    const words = [...losses, ...unwrapping.notes];
    offer(
      { list, decisions, idle: "has no wrapper", words, text: unwrappedText(list, unwrapping), refusal },
      options,
      terminal,
    );
    return exitCodeOf({ isGood: isFree || !options.write, isComplete: isFree || leftOut.isEmpty });
  },
};

function usesOf({ name = "", plugins }: List, state: string, leaveOut: (line: string) => void) {
  // Whoever attached a container: no plain list of several interface plugins passes CHECK.
  // guard: the list of containers that something else attached
  const wrapped = new Set(plugins.filter(({ role }) => role !== "meta").length > 1 ? [name] : []);
  const { wanted } = readAttachments({ cacheDirectory: state, network: name }, leaveOut);
  const leaveOutJournal = (file: string, reason: string) => {
    if (basename(file).startsWith(`${name}:`)) leaveOut(`${file}: ${reason}`);
  };
  const uses = usesAmong(wanted, wrapped, { leaveOut: leaveOutJournal, state });
  return uses.filter(({ network }) => network === name);
}
