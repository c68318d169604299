import type { ConfiguredVerb } from "../../shared/protocol/request.ts";
import type { List } from "../lists/list.ts";
import { verbs } from "../live/libcni.ts";
import { stepsText } from "./answers.ts";
import { byId, element, show } from "./elements.ts";

/** Shows what each plugin is given and returns, if somebody has opened that part. */
export function showSteps(list: List | undefined): void {
  show("steps", list !== undefined);
  if (!list || !details().open) return;
  const lines = stepsText(list, verbSelect().value as ConfiguredVerb).split("\n");
  byId("steps-text").replaceChildren(...lines.map(lineOf));
}

/** Fills the choice of the verb. `changed` is called if another one is chosen, or if the part is opened. */
export function prepareSteps(changed: () => void): void {
  verbSelect().replaceChildren(...verbs.map((verb) => element("option", {}, verb)));
  verbSelect().addEventListener("change", changed);
  details().addEventListener("toggle", changed);
}

function lineOf(line: string): Node {
  const [, sign] = /^ {3,5}([-+]) /.exec(line) ?? [];
  const kind = sign === "+" ? "added" : sign === "-" ? "removed" : /^\d+\. |^[A-Z]+ /.test(line) ? "title" : undefined;
  return element("span", kind === undefined ? {} : { class: kind }, `${line}\n`);
}

function details(): HTMLDetailsElement {
  return byId("steps") as HTMLDetailsElement;
}

function verbSelect(): HTMLSelectElement {
  return byId("verb") as HTMLSelectElement;
}
