import { Argument } from "commander";
import { type CommandData, jsonOption, option, stateOption } from "../command.ts";
import { LeftOut } from "../live/alike.ts";
import { exitCodeOf } from "../terminal.ts";
import { olderAttachments } from "../wrap/attached.ts";
import { offer, readList, showErrors } from "../wrap/change.ts";
import { decide, wishedNames } from "../wrap/decide.ts";
import { wrappedText } from "../wrap/edits.ts";

interface Options {
  readonly write?: true;
  readonly json?: true;
  readonly fromScript?: true;
  readonly names?: string;
  readonly state: string;
}

/** `wrap`: makes a wrapped list of a plain one. */
export const wrapCommand: CommandData<string, Options> = {
  name: "wrap",
  summary: "wrap the plugins of a plain list",
  description:
    "Wraps every plugin of a list that needs it, and shows the change as a diff. Nothing else in the file changes.",
  argument: new Argument("<file>", "a network configuration list"),
  options: [
    option("-w, --write", "change the file, and keep the old text in FILE.bak"),
    jsonOption("the decisions as JSON instead of the diff"),
    option(
      "--names <names>",
      "interface names, separated by commas, for the plugins that need one (default: eth1,eth2,...)",
    ),
    option(
      "--from-script",
      "running containers were attached by a script: keep their leases in the list's own network",
    ),
    stateOption("where libcni and host-local keep results and leases"),
  ],
  example: "wrap --write /opt/cni/config/zone.conflist",
  run: ({ given: path, options, terminal }) => {
    const list = readList(path, terminal.directory);
    const leftOut = new LeftOut();
    const older = olderAttachments(list, options.state, leftOut.note);
    leftOut.tell(terminal);
    const wished = options.names === undefined ? undefined : wishedNames(list, options.names.split(","));
    const decisions = decide(list, { older, wished, fromScript: options.fromScript });
    const idle = "needs no wrapper";
    const words = [...decisions.plugins.map(({ becomes, does }) => `${becomes} ${does}.`), ...decisions.notes];
    // guard: the names of a container whose result cannot be read
    const isNaming = decisions.plugins.some(({ wrapper }) => wrapper.ifName !== undefined);
    const areNamesSure = leftOut.isEmpty || wished !== undefined || !isNaming;
    const refusal = areNamesSure ? undefined : "Its container may have other interface names. Set them with --names.\n";
    const change = { list, decisions, idle, words, text: wrappedText(list, decisions), refusal };
    offer(change, options, terminal);
    return exitCodeOf({ isGood: !showErrors(change, terminal), isComplete: leftOut.isEmpty });
  },
};
