import { type Failure, leftWords } from "../explain/list-run.ts";
import { type EventName, events, type Outcome, whyOnce } from "../explain/verdict.ts";
import { notSent } from "../live/libcni.ts";
import type { Answers } from "./answers.ts";
import { byId, element, show } from "./elements.ts";
import { headlineOf, type Kind } from "./headline.ts";

/** What happens in an event, in words for people who do not know ours. */
const meanings: Readonly<Record<EventName, string>> = {
  start: "a container starts (ADD)",
  second: "another container starts",
  restart: "the runtime restarts, and asks whether the container's network is whole (CHECK)",
  joined: "the same, after the other container started",
  retry: "ADD again, after the last plugin failed once",
  twice: "the list attached to the container once more, as net1",
  reboot: "the container starts after a reboot of the host",
  stop: "the container stops (DEL)",
  gone: "DEL, after the container's namespace is gone",
};

const marks = { good: "✓", bad: "✗", rare: "!", open: "?", aside: "–" } as const;

/** Shows the verdict. */
export function showVerdict({ problem, list, outcomes, afterScript, wrapping }: Answers): void {
  const [kind, summary] = problem === undefined ? headlineOf(outcomes, wrapping?.passes) : (["open", problem] as const);
  const status = byId("summary");
  status.className = kind;
  status.replaceChildren(element("span", { "aria-hidden": "true" }, `${marks[kind]} `), summary);
  const rows = events.flatMap((event) => {
    const outcome = outcomes.find((one) => one.event === event);
    if (outcome) return [rowOf(outcome)];
    return event === "restart" && afterScript ? [scriptedRow(afterScript)] : [];
  });
  byId("events").replaceChildren(...rows);
  show("events-table", rows.length > 0);
  const reason = list && outcomes.some(({ passes }) => passes) ? notSent(list, "CHECK") : undefined;
  byId("not-sent").textContent = reason === undefined ? "" : `A runtime does not send CHECK: ${reason}.`;
}

function at({ type }: Partial<Failure>): string {
  return type === undefined ? "" : ` at ${type}`;
}

type RowKind = Exclude<Kind, "rare"> | "aside";

function kindOf({ event, passes }: Outcome): RowKind {
  if (passes === undefined) return "open";
  if (passes) return "good";
  return event === "twice" ? "aside" : "bad";
}

function rowOf(outcome: Outcome): HTMLElement {
  const { event, message, leaves } = outcome;
  const kind = kindOf(outcome);
  const words = {
    open: "not known",
    good: "passes",
    bad: `fails${at(outcome)}`,
    aside: `not counted: fails${at(outcome)}`,
  };
  const why = kind === "aside" ? whyOnce(outcome) : undefined;
  const left = leftWords(leaves);
  return row(event, kind, words[kind], [
    message,
    why && `That is as it should be: ${why}.`,
    left === "" ? undefined : `leaves ${left}`,
  ]);
}

/** The row of a CHECK that fails only where a script runs the plugins' ADD. */
function scriptedRow(failure: Failure): HTMLElement {
  const words = `With a script that merges the results of ADD, it fails${at(failure)}: ${failure.message}`;
  return row("restart", "aside", "never reached", [words]);
}

function row(event: EventName, kind: RowKind, words: string, messages: readonly (string | undefined)[]): HTMLElement {
  const lines = messages.flatMap((one) => (one === undefined ? [] : element("div", { class: "message" }, one)));
  const mark = element("span", { "aria-hidden": "true" }, `${marks[kind]} `);
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, element("strong", {}, event), `: ${meanings[event]}`),
    element("td", {}, element("span", { class: kind }, mark, words), ...lines),
  );
}
