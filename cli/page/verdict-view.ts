import { leftWords } from "../explain/left.ts";
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
export function showVerdict({ problem, list, outcomes, wrapping }: Answers): void {
  const [kind, summary] = problem === undefined ? headlineOf(outcomes, wrapping?.mends) : (["open", problem] as const);
  const status = byId("summary");
  status.className = kind;
  status.replaceChildren(element("span", { "aria-hidden": "true" }, `${marks[kind]} `), summary);
  const rows = events.flatMap((event) => outcomes.find((one) => one.event === event) ?? []).map(rowOf);
  byId("events").replaceChildren(...rows);
  show("events-table", rows.length > 0);
  const reason = list && outcomes.some(({ passes }) => passes) ? notSent(list, "CHECK") : undefined;
  byId("not-sent").textContent = reason === undefined ? "" : `A runtime does not send CHECK: ${reason}.`;
}

function at({ type }: Outcome): string {
  return type === undefined ? "" : ` at ${type}`;
}

function kindOf({ event, passes }: Outcome): Exclude<Kind, "rare"> | "aside" {
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
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, element("strong", {}, event), element("span", {}, ` ${meanings[event]}`)),
    element(
      "td",
      {},
      element("span", { class: kind }, element("span", { "aria-hidden": "true" }, `${marks[kind]} `), words[kind]),
      message === undefined ? undefined : element("div", { class: "message" }, message),
      why === undefined ? undefined : element("div", { class: "message" }, `That is as it should be: ${why}.`),
      left === "" ? undefined : element("div", { class: "message" }, `leaves ${left}`),
    ),
  );
}
