// The tests run this in the page.

import { explain, explanationData } from "../../cli/explain/explain.ts";
import { checkAfterScript } from "../../cli/explain/list-run.ts";
import { exampleAttachment, exampleSource } from "../../cli/explain/model-answers.ts";
import { explanationText } from "../../cli/explain/text.ts";
import { verdictData, verdictOf, verdictText } from "../../cli/explain/verdict.ts";
import { lintFiles } from "../../cli/lint/lint.ts";
import { jsonReport } from "../../cli/lint/report.ts";
import { type List, listOf } from "../../cli/lists/list.ts";
import { parseListFile } from "../../cli/lists/list-file.ts";
import { screen } from "../../cli/page/answers.ts";
import { Trouble } from "../../cli/terminal.ts";
import { diffText } from "../../cli/wrap/change.ts";
import { decide } from "../../cli/wrap/decide.ts";
import { wrappedText } from "../../cli/wrap/edits.ts";
import type { ConfiguredVerb } from "../../shared/protocol/request.ts";

/** What the commands print for the text of a file: `lint --json`, `wrap`, `explain --json`, and `explain` without its table. */
const commands = {
  lint: (path: string, text: string): string => jsonReport(lintFiles([parseListFile(path, text)])),
  wrap(path: string, text: string): string {
    const list = listIn(path, text);
    const wrapped = wrappedText(list, decide(list));
    return wrapped === text ? "" : diffText(path, text, wrapped, screen);
  },
  explainJson(path: string, text: string, verb: ConfiguredVerb): string {
    const { explanation, verdict } = explained(path, text, verb);
    return `${JSON.stringify({ ...explanationData(explanation), verdict: verdictData(verdict) }, null, 2)}\n`;
  },
  explain(path: string, text: string, verb: ConfiguredVerb): string {
    const { list, explanation, verdict } = explained(path, text, verb);
    const afterScript = checkAfterScript(list, explanation.attachment);
    return `${verdictText(list, verdict, afterScript)}\n${explanationText(explanation, screen)}`;
  },
};

function explained(path: string, text: string, verb: ConfiguredVerb) {
  const list = listIn(path, text);
  const attachment = exampleAttachment(list);
  return {
    list,
    explanation: explain(list, verb, exampleSource(attachment)),
    verdict: verdictOf(list, attachment, undefined),
  };
}

function listIn(path: string, text: string): List {
  const file = parseListFile(path, text);
  const list = file.errors.length > 0 ? undefined : listOf(file);
  if (!list) throw new Trouble("this is not a list");
  return list;
}

Object.assign(globalThis, { commands });
