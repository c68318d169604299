import { resolve } from "node:path";
import { Argument, InvalidArgumentError } from "commander";
import type { ConfiguredVerb } from "../../shared/protocol/request.ts";
import { type CommandData, cacheDirOption, jsonOption, option, portOption } from "../command.ts";
import { attachmentTable } from "../explain/attachment-table.ts";
import { explain, explanationData, hasPassed, type Source } from "../explain/explain.ts";
import { isPage, pageWith } from "../explain/html.ts";
import { checkAfterScript } from "../explain/list-run.ts";
import { exampleAttachment, exampleSource } from "../explain/model-answers.ts";
import { cacheSource, ownJq } from "../explain/sources.ts";
import { explanationText } from "../explain/text.ts";
import { verdictCode, verdictData, verdictOf, verdictText } from "../explain/verdict.ts";
import { demandReplaceable, writeAtomically } from "../files/atomic-write.ts";
import type { List } from "../lists/list.ts";
import { verbs } from "../live/libcni.ts";
import { addedBeside } from "../live/networks.ts";
import { jsonText, oneLine, type Terminal, Trouble } from "../terminal.ts";
import { readList } from "../wrap/change.ts";

interface Options {
  readonly verb?: ConfiguredVerb;
  readonly container?: string;
  readonly cacheDir: string;
  readonly port?: readonly string[];
  readonly args?: string;
  readonly json?: true;
  readonly html?: string;
}

/** `explain`: what each plugin of a list is given and returns, and what the container has then. */
export const explainCommand: CommandData<string, Options> = {
  name: "explain",
  summary: "say what a list does to its containers, and show what each plugin is given and returns",
  description:
    "Says how each event of a container ends, from its start to a reboot, by a model of the reference plugins 1.10.0. Then it shows, step by step, what each plugin of the list is given and returns, and what the container has then. It runs no plugin and changes nothing. The event `twice` does not count for the exit code.",
  argument: new Argument("<file>", "the list"),
  options: [
    option("--verb <verb>", "the verb; ADD, or CHECK with --container").choices(verbs).argParser(upperCaseVerb),
    option(
      "--container <id>",
      "take result and addresses of this container from libcni's cache (CHECK and DEL)",
    ).conflicts(["args", "port"]),
    cacheDirOption,
    portOption,
    option("--args <pairs>", "CNI_ARGS, such as IP=172.16.5.9").argParser(pairs),
    jsonOption("the steps as JSON"),
    option("--html <file>", "also write a page for a browser, in which anybody can try the list"),
  ],
  example: "explain /opt/cni/config/zone.conflist --verb CHECK",
  run: ({ given, options, terminal }) => {
    const list = readList(given, terminal.directory);
    if (options.html !== undefined) demandReplaceable(options.html, terminal, { command: "explain", isOutput: isPage });
    const verb = options.verb ?? (options.container === undefined ? "ADD" : "CHECK");
    const explanation = explain(list, verb, sourceOf(list, verb, options, terminal));
    const verdict = options.container === undefined ? verdictOf(list, explanation.attachment, ownJq()) : undefined;
    const afterScript = verdict && checkAfterScript(list, explanation.attachment);
    if (options.json) {
      const verdictJson = verdict && { verdict: verdictData(verdict), afterScript };
      terminal.write(jsonText({ ...explanationData(explanation), ...verdictJson }));
    } else {
      if (verdict) terminal.write(`${verdictText(list, verdict, afterScript)}\n`);
      terminal.write(explanationText(explanation, terminal));
    }
    if (options.html !== undefined) {
      writeAtomically(resolve(terminal.directory, options.html), pageWith(list.file.text));
      terminal.writeError(`Wrote ${options.html}.\n`);
    }
    const table = options.json ? undefined : attachmentTable(explanation);
    if (table !== undefined) terminal.write(`\n${table}\n`);
    const leftOut = addedBeside([list.file], terminal.directory);
    for (const line of leftOut) terminal.writeError(`${oneLine(line)}\n`);
    if (leftOut.length > 0) return 2;
    return verdict ? verdictCode(verdict) : explanation.steps.every(hasPassed) ? 0 : 1;
  },
};

function sourceOf(list: List, verb: ConfiguredVerb, options: Options, { directory }: Terminal): Source {
  const { container, cacheDir, port, args } = options;
  if (container === undefined) return exampleSource(exampleAttachment(list, port, args), ownJq());
  if (verb === "CHECK" || verb === "DEL") return cacheSource(list, container, resolve(directory, cacheDir));
  throw new Trouble(
    `libcni's cache does not have the answers of the plugins: use --container with CHECK or DEL, not ${verb}`,
  );
}

// cni/pkg/types/args.go, LoadArgs.
function pairs(text: string): string {
  if (text.split(";").every((pair) => pair.split("=").length === 2)) return text;
  throw new InvalidArgumentError("Write pairs, such as IP=172.16.5.9;MAC=02:00:00:00:00:01.");
}

function upperCaseVerb(verb: string): ConfiguredVerb {
  const upper = verbs.find((one) => one === verb.toUpperCase());
  if (upper === undefined) throw new Trouble(`--verb ${verb}: the verbs are ${verbs.join(", ")}`);
  return upper;
}
