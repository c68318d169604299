import type { Diagnostic } from "@codemirror/lint";
import { explainRule, ruleNamed } from "../lint/explain-rule.ts";
import type { Finding } from "../lint/lint.ts";
import type { Answers } from "./answers.ts";
import type { Editor } from "./editor.ts";
import { byId, element, show } from "./elements.ts";
import { mostFindings } from "./limits.ts";
import { type Paragraph, paragraphsOf } from "./prose.ts";

/** Shows what lint found, below and in the text. */
export function showFindings({ findings, list }: Answers, editor: Editor): void {
  const shown = findings.slice(0, mostFindings);
  const more = findings.length - shown.length;
  editor.mark(shown.map(diagnosticOf));
  byId("findings").replaceChildren(
    ...shown.map((finding) => itemOf(finding, editor)),
    ...(more > 0 ? [element("li", {}, `And ${more} more.`)] : []),
  );
  show("no-findings", list !== undefined && findings.length === 0);
}

function diagnosticOf({ place, severity, message, hint }: Finding): Diagnostic {
  return { from: place.offset, to: place.offset + place.length, severity, message: `${message}. ${hint}.` };
}

function itemOf({ position, place, severity, code, message, hint }: Finding, editor: Editor): HTMLElement {
  const words = `Line ${position.line}, column ${position.column}`;
  const go = element("button", { type: "button", class: "place" }, words);
  go.addEventListener("click", () => editor.goTo(place.offset, place.offset + place.length));
  const reason = element("div", { class: "rule" });
  const why = element("details", {}, element("summary", {}, `Why: ${code}`), reason);
  why.addEventListener("toggle", () => {
    reason.replaceChildren(...paragraphsOf(explainRule(ruleNamed(code))).map(paragraph));
  });
  return element(
    "li",
    {},
    go,
    element("span", { class: severity === "error" ? "bad" : "warn" }, ` ${severity}: `),
    `${message}.`,
    element("div", { class: "message" }, `${hint}.`),
    why,
  );
}

const names = { code: "code", strong: "strong", text: "span" } as const;

function paragraph({ isEntry, pieces }: Paragraph): HTMLElement {
  const children = pieces.map(({ kind, text }) => element(names[kind], {}, text));
  return element("p", {}, ...(isEntry ? ["• "] : []), ...children);
}
