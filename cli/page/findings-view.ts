import type { Diagnostic } from "@codemirror/lint";
import { explainRule, ruleNamed } from "../lint/explain-rule.ts";
import type { Finding } from "../lint/lint.ts";
import type { Answers } from "./answers.ts";
import type { Editor } from "./editor.ts";
import { byId, element, show } from "./elements.ts";

/** Shows what lint found, below and in the text. */
export function showFindings({ findings, list }: Answers, editor: Editor): void {
  editor.mark(findings.map(diagnosticOf));
  byId("findings").replaceChildren(...findings.map((finding) => itemOf(finding, editor)));
  show("no-findings", list !== undefined && findings.length === 0);
}

function diagnosticOf({ place, severity, message, hint }: Finding): Diagnostic {
  return { from: place.offset, to: place.offset + place.length, severity, message: `${message}. ${hint}.` };
}

function itemOf({ position, place, severity, code, message, hint }: Finding, editor: Editor): HTMLElement {
  const go = element("button", { type: "button", class: "place" }, `${position.line}:${position.column}`);
  go.setAttribute("aria-label", `Go to line ${position.line}, column ${position.column}`);
  go.addEventListener("click", () => editor.goTo(place.offset, place.offset + place.length));
  const reason = element("p", { class: "rule" });
  const why = element("details", {}, element("summary", {}, `Why: ${code}`), reason);
  why.addEventListener("toggle", () => {
    reason.textContent = explainRule(ruleNamed(code));
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
